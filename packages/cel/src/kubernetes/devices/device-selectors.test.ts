import { describe, expect, test } from "vitest"
import { DeviceSelectors, type SelectableDevice } from "./device-selectors.ts"

const selectors = new DeviceSelectors()
const gpu: SelectableDevice = {
  driver: "gpu.example.com",
  attributes: {
    model: { string: "a100" },
    "gpu.example.com/index": { int: 3 },
    "other.example.com/numa": { int: 1 },
    healthy: { bool: true },
    driverVersion: { version: "1.10.0" },
  },
  capacity: { memory: { value: "40Gi" } },
}

test.each<[string, boolean]>([
  ["true", true],
  ['device.driver == "gpu.example.com"', true],
  ['device.attributes["gpu.example.com"].model == "a100"', true],
  ['device.attributes["gpu.example.com"].index > 3', false],
  ['device.attributes["other.example.com"].numa == 1', true],
  ['device.attributes["gpu.example.com"].healthy', true],
  ['device.attributes["gpu.example.com"].driverVersion.isGreaterThan(semver("1.9.0"))', true],
  ['device.capacity["gpu.example.com"].memory.compareTo(quantity("32Gi")) >= 0', true],
  ['has(device.attributes["nowhere.example.com"].model)', false],
  ['"model" in device.attributes["gpu.example.com"]', true],
  ["device.allowMultipleAllocations", false],
  ['cel.bind(own, device.attributes["gpu.example.com"], own.healthy && own.index == 3)', true],
])("%s is %s", (expression, expected) => {
  expect(selectors.of(expression).matches(gpu)).toBe(expected)
})

describe("what cannot be said", () => {
  test.each<[string, string]>([
    ["1 + 1", "must evaluate to bool or the unknown type, not int"],
    ["device.", "compilation failed: ERROR: <input>:1:8: Syntax error"],
    ["nothing == 1", "compilation failed: ERROR: <input>:1:1: undeclared reference to 'nothing' (in container '')"],
  ])("%s does not compile", (expression, error) => {
    expect(selectors.of(expression).error).toContain(error)
  })

  test("an attribute that a device lacks is an error of the expression", () => {
    expect(() => selectors.of('device.attributes["gpu.example.com"].size == 1').matches(gpu)).toThrow("no such key: size")
  })

  test("a version that is none is an error of the device", () => {
    expect(() => selectors.of("true").matches({ driver: "d", attributes: { v: { version: "one" } } })).toThrow(
      "attribute v: parse semantic version: No Major.Minor.Patch elements found",
    )
  })
})
