import assert from "node:assert/strict";
import { BlockList, isIP } from "node:net";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { specialUse } from "./special-addresses.ts";

const special: readonly (readonly [before: string, first: string, last: string, after: string])[] = [
  ["0.0.0.0", "0.0.0.0", "0.255.255.255", "1.0.0.0"],
  ["9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"],
  ["100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"],
  ["126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"],
  ["169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"],
  ["172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"],
  ["191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"],
  ["192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"],
  ["192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"],
  ["192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"],
  ["198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"],
  ["198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"],
  ["203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"],
  ["223.255.255.255", "224.0.0.0", "255.255.255.255", "223.255.255.255"],
];

describe("addresses that are not public", () => {
  for (const [before, first, last, after] of special) {
    test(`are those from ${first} to ${last}`, () => {
      assert.notEqual(specialUse(first), undefined);
      assert.notEqual(specialUse(last), undefined);
      if (before !== first) assert.equal(specialUse(before), undefined);
      assert.equal(specialUse(after), undefined);
    });
  }

  test("are the same as in Node's own list of ranges, whatever the address", () => {
    const list = new BlockList();
    for (const [, first, last] of special) list.addRange(first, last);
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        assert.equal(specialUse(address) !== undefined, list.check(address));
      }),
      { numRuns: 2000 },
    );
  });

  test("stay so inside IPv6 addresses that end at an IPv4 address", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom("::ffff:", "64:ff9b::"), (address, prefix) => {
        assert.equal(specialUse(`${prefix}${address}`), specialUse(address));
      }),
      { numRuns: 500 },
    );
  });

  const inner: readonly string[] = [
    "::",
    "::1",
    "0:0:0:0:0:0:0:1",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:0:127.0.0.1",
    "64:ff9b:1::808:808",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:2::1",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:808:808::1",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fdff::1",
    "fe80::1",
    "febf::1",
    "fec0::1",
    "feff::1",
    "ff00::",
    "ff02::1",
    "FE80::1",
    "1::1",
    "200::1",
  ];
  for (const address of inner) {
    test(`include ${address}`, () => assert.notEqual(specialUse(address), undefined));
  }

  for (const address of [
    "2606:4700::1111",
    "2A00:1450:4001::200e",
    "2001:4860:4860::8888",
    "3ffe::1",
    "2003::1",
  ]) {
    test(`do not include ${address}`, () => assert.equal(specialUse(address), undefined));
  }

  test("include everything that is no address", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string().filter((text) => isIP(text) === 0),
          fc.constantFrom("fe80::1%lo", "127.1", "0x7f000001", "010.0.0.1", "@&GA?", "a@2606:4700::1"),
        ),
        (text) => {
          assert.notEqual(specialUse(text), undefined);
        },
      ),
    );
  });
});
