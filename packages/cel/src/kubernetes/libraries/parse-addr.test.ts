import { expect, test } from "vitest"
import { parseAddrFault } from "./parse-addr.ts"

test.each([
  ["10.0.0.1", undefined],
  ["::", undefined],
  ["1::2", undefined],
  ["::ffff:1.2.3.4", undefined],
  ["fe80::1%eth0", undefined],
  ["abc", "unable to parse IP"],
  ["%eth0", "missing IPv6 address"],
  ["1.2.3", "IPv4 address too short"],
  ["1.2.3.4.5", "IPv4 address too long"],
  ["1.02.3.4", "IPv4 field has octet with leading zero"],
  ["1.2.3.256", "IPv4 field has value >255"],
  ["1..2.3", 'IPv4 field must have at least one digit (at ".2.3")'],
  ["1.2.3.a", 'unexpected character (at "a")'],
  ["https:/", 'each colon-separated field must have at least one digit (at "https:/")'],
  ["12345::", 'each group must have 4 or fewer digits (at "12345::")'],
  ["1:2:3", "address string too short"],
  ["1:2:3:4:5:6:7:8:9", 'trailing garbage after address (at "9")'],
  ["1::2::3", 'multiple :: in address (at ":3")'],
  ["1:2:", 'colon must be followed by more characters (at ":")'],
  ["1:2x::", 'unexpected character, want colon (at "x::")'],
  ["1:2:3:4:5:6:7::8", "the :: must expand to at least one field of zeros"],
  ["fe80::1%", "zone must be a non-empty string"],
])("%s: %s", (text, fault) => {
  expect(parseAddrFault(text)).toBe(fault && `ParseAddr(${JSON.stringify(text)}): ${fault}`)
})
