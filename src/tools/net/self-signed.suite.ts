import { generateKeyPairSync, sign } from "node:crypto";

/** A certificate for a name, signed by itself, for servers in tests. Good from 2020 to 2049. */
export function selfSigned(name: string): { readonly key: string; readonly cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(identifier("2a8648ce3d040302"));
  const issuer = sequence(node(0x31, sequence(identifier("550403"), node(0x0c, Buffer.from(name)))));
  const names = sequence(identifier("551d11"), node(0x04, sequence(node(0x82, Buffer.from(name)))));
  const authority = sequence(identifier("551d13"), node(0x04, sequence(node(0x01, Buffer.from([0xff])))));
  const content = sequence(
    node(0xa0, node(0x02, Buffer.from([2]))),
    node(0x02, Buffer.from([1])),
    algorithm,
    issuer,
    sequence(node(0x17, Buffer.from("200101000000Z")), node(0x17, Buffer.from("491231235959Z"))),
    issuer,
    publicKey.export({ type: "spki", format: "der" }),
    node(0xa3, sequence(names, authority)),
  );
  const signature = node(0x03, Buffer.from([0]), sign("sha256", content, privateKey));
  const cert = sequence(content, algorithm, signature).toString("base64");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${cert}\n-----END CERTIFICATE-----\n`,
  };
}

const sequence = (...parts: readonly Buffer[]): Buffer => node(0x30, ...parts);

const identifier = (hex: string): Buffer => node(0x06, Buffer.from(hex, "hex"));

/** A tag, a length, a content: all that DER is made of. */
function node(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const long = content.length > 127;
  const size = long ? [0x82, content.length >> 8, content.length & 255] : [content.length];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
