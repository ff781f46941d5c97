/**
 * Where the API may be, before its version. The setting takes the place of https://discord.com/api; servers of one's own that are named
 * by their host alone have it there, or below /api as Discord does.
 */
export function apiAddresses(setting = "https://discord.com/api"): readonly [string, ...string[]] {
  const address = setting.replace(/\/+$/, "").replace(/\/v\d+$/, "");
  return new URL(address).pathname === "/" ? [`${address}/api`, address] : [address];
}
