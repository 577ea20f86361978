import { readdir, readFile } from "node:fs/promises"
import { platform } from "node:process"
import { describe, expect, onTestFinished, test } from "vitest"
import type { ProcessEnd } from "./spawn.ts"
import { CarrierSweeper, endLeftovers, type ProcessTable } from "./system-leftovers.ts"
import { systemSpawner } from "./system-spawn.ts"

const systemSpawn = systemSpawner()

async function sleeper(env: Readonly<Record<string, string>>): Promise<{ readonly ended: Promise<ProcessEnd> }> {
  const ended = Promise.withResolvers<ProcessEnd>()
  const running = await systemSpawn({ argv: ["sleep", "600"], env }, { line() {}, end: ended.resolve })
  onTestFinished(() => running.signal("SIGKILL"))
  return { ended: ended.promise }
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code })
}

/** That of the system, where the first `failures` calls of a method fail. */
function table(failing: keyof ProcessTable, code: string, failures = 1): ProcessTable & { readonly calls: number } {
  let calls = 0
  const call = <T>(method: keyof ProcessTable, read: () => Promise<T>) => {
    if (method !== failing) return read()
    return ++calls <= failures ? Promise.reject(failure(code)) : read()
  }
  return {
    names: () => call("names", () => readdir("/proc")),
    environment: (pid) => call("environment", () => readFile(`/proc/${pid}/environ`, "utf8")),
    get calls() {
      return calls
    },
  }
}

describe.runIf(platform === "linux")(
  "a process that could not be read for want of descriptors was taken for one of others, and ran on",
  () => {
    test.each<[keyof ProcessTable, string]>([
      ["names", "EMFILE"],
      ["environment", "EMFILE"],
      ["environment", "ENFILE"],
    ])("%s: %s", async (failing, code) => {
      const entry = `PILOTHOUSE_CONTAINER=test/${failing}/${code}`
      const { ended } = await sleeper({ PILOTHOUSE_CONTAINER: `test/${failing}/${code}` })
      const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).length
      // All of the first round.
      const failures = failing === "names" ? 1 : pids
      expect(await new CarrierSweeper(table(failing, code, failures)).end(entry)).toBe(0)
      expect(await ended).toEqual({ exitCode: 137 })
    })

    test("when a program starts after it was killed", async () => {
      const { ended } = await sleeper({ PILOTHOUSE_OWNER: "/a test without descriptors" })
      expect(await endLeftovers("/a test without descriptors", table("names", "EMFILE"))).toBe(1)
      expect(await ended).toEqual({ exitCode: 137 })
    })

    test("where that lasts, the search ends, and says that it does not know", async () => {
      const never = table("environment", "EMFILE", Number.POSITIVE_INFINITY)
      expect(await new CarrierSweeper({ ...never, names: async () => ["1"] }).end("PILOTHOUSE_CONTAINER=none")).toBeUndefined()
      expect(never.calls).toBe(200)
    })
  },
)

test.each(["ENOENT", "ESRCH", "EACCES", "EPERM"])("%s: a process that is gone or of another user is passed over", async (code) => {
  const others: ProcessTable = { names: async () => ["1", "self"], environment: () => Promise.reject(failure(code)) }
  expect(await new CarrierSweeper(others).end("PILOTHOUSE_CONTAINER=none")).toBe(0)
})
