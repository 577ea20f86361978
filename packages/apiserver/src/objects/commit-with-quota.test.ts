import { expect, test } from "vitest"
import type { AdmissionAttributes } from "../admission/plugin.ts"
import { commitWithQuota } from "./commit-with-quota.ts"

function setUp(countsAgainstQuota: boolean) {
  const happened: string[] = []
  const server = {
    admission: [{ name: "Quota", countsAgainstQuota: () => countsAgainstQuota, reserveQuota: () => happened.push("reserve") && [] }],
    storage: { commit: async () => ({ ok: true, stored: [] }) },
    turns: { whenFree: async () => void happened.push("turn") },
  }
  const write = { key: "k", expected: 0, make: () => expect.unreachable() }
  type Server = Parameters<typeof commitWithQuota>[0]
  return { happened, commit: () => commitWithQuota(server as unknown as Server, {} as AdmissionAttributes, write) }
}

test("a write that counts against a quota waits for its turn before it reserves", async () => {
  const { happened, commit } = setUp(true)
  expect(await commit()).toMatchObject({ ok: true })
  expect(happened).toEqual(["turn", "reserve"])
})

test("a write that counts against none does not wait", async () => {
  const { happened, commit } = setUp(false)
  await commit()
  expect(happened).toEqual(["reserve"])
})
