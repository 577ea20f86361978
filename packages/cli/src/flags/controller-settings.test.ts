import { Command } from "commander"
import { describe, expect, test } from "vitest"
import { addControllerFlags, controllerSettingsOf } from "./controller-settings.ts"

function settings(...words: readonly string[]) {
  const command = new Command("up").exitOverride().configureOutput({ writeErr: () => {} })
  addControllerFlags(command)
  command.parse(words, { from: "user" })
  return controllerSettingsOf(command)
}

describe("the flags of controllers beside those of a command", () => {
  test.each([
    { words: [], found: {} },
    { words: ["--terminated-pod-gc-threshold=5"], found: { "terminated-pod-gc-threshold": "5" } },
    { words: ["--disable-force-detach-on-timeout"], found: { "disable-force-detach-on-timeout": true } },
    {
      words: ["--node-monitor-grace-period", "40s", "--concurrent-deployment-syncs=2"],
      found: { "node-monitor-grace-period": "40s", "concurrent-deployment-syncs": "2" },
    },
  ])("$words", ({ words, found }) => expect(settings(...words)).toEqual(found))

  test("a value that is none is refused, by its flag", () => {
    expect(() => settings("--terminated-pod-gc-threshold=many")).toThrow("terminated-pod-gc-threshold")
  })

  test("a flag that no controller has is refused", () => {
    expect(() => settings("--terminated-pod-gc-treshold=5")).toThrow("unknown option")
  })
})
