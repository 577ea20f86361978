import { describe } from "vitest"
import { kubernetesEnvironment } from "../kubernetes/index.ts"
import { itComesTo } from "../testing/expression-table.ts"

const environment = kubernetesEnvironment()

describe("durations", () => {
  itComesTo(
    [
      ["string(duration('0.3333333333333333333h'))", '"1200s"', 0],
      ["string(duration('0.33333333333333333333333h'))", '"1200s"', 0],
      ["string(duration('1.00000000000000000001s'))", '"1s"', 0],
      ["string(duration('0.1h0.7m'))", '"402s"', 0],
      ["string(duration('0.9999999999s'))", '"0.999999999s"', 0],
      ["string(duration('.5s'))", '"0.5s"', 0],
      ["string(duration('5.s'))", '"5s"', 0],
      ["string(duration('-9223372036854775808ns'))", '"-9223372036.854776s"', 0],
      ["string(duration('2562047h47m16.854775807s'))", '"9223372036.854776s"', 0],
      ["string(duration('0.000000001h'))", '"0.0000036s"', 0],
      ["string(duration('00000000000000000000000000001s'))", '"1s"', 0],
      ["'%s'.format([duration('0.1ms')])", '"0.0001s"', 1],
      ["-dyn(duration('1s'))", "duration -1s", 1],
      ["-dyn(duration('1s')) == duration('-1s')", "true", 2],
      ["-dyn(timestamp(0))", "fails: no such overload", 1],
      ["-dyn('a')", "fails: no such overload", 1],
      ["-dyn(1u)", "fails: no such overload: -_", 1],
    ],
    environment,
  )
})

describe("moments in zones", () => {
  itComesTo(
    [
      ["timestamp('2020-01-01T1:00:00Z') == timestamp('2020-01-01T01:00:00Z')", "true", 1],
      ["timestamp(0).getHours('Europe/Berlin')", "1", 1],
      ["timestamp(0).getHours('EST')", "19", 1],
      ["timestamp(0).getHours('Local')", "0", 1],
      ["timestamp(0).getHours('utc')", "fails: unknown time zone utc", 1],
      ["timestamp(0).getHours('europe/berlin')", "fails: unknown time zone europe/berlin", 1],
      ["timestamp(0).getHours('+0100')", "fails: unknown time zone +0100", 1],
      ["timestamp(0).getHours('UTC+1')", "fails: unknown time zone UTC+1", 1],
      ["timestamp(0).getHours('../etc/passwd')", "fails: time: invalid location name", 1],
      ["timestamp(0).getHours('-1:30')", "22", 1],
      ["timestamp('0001-01-01T00:00:00Z').getFullYear('America/New_York')", "0", 1],
      ["timestamp('1900-01-01T00:00:00Z').getSeconds('America/New_York')", "0", 1],
    ],
    environment,
  )
})

describe("keys of other types", () => {
  itComesTo(
    [
      ["dyn(1) in {'a': 1}", "false", 1],
      ["dyn(1) in dyn({'a': 1})", "false", 1],
      ["dyn(1) in {1u: 1}", "true", 1],
      ["dyn(1.0) in {1: 1}", "true", 1],
      ["dyn(null) in {'a': 1}", "false", 1],
      ["dyn('a') in dyn(1)", "fails: no such overload", 1],
    ],
    environment,
  )
})
