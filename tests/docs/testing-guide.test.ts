import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, test } from "vitest"

const example = join(import.meta.dirname, "../../examples/testing/with-node-test.ts")

test("the example of the testing guide passes under node:test", () => {
  const flags = ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning"]
  // The runner of this test marks its child processes as part of it.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: undefined }
  const { status, stdout } = spawnSync(process.execPath, [...flags, "--test", "--test-reporter=tap", example], { encoding: "utf8", env })
  expect(stdout).toContain("ok 1 - a Job that always fails gives up after two more tries")
  expect([status, /^# pass (\d+)$/m.exec(stdout)?.[1]]).toEqual([0, "1"])
})
