import { recordingLog } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { freePort } from "../commands/testing/port.ts"
import { takeExecLock } from "./exec-lock.ts"

test("two clusters of --exec started without a word: the second is warned, and the next one is not when the first has ended", async () => {
  const place = { host: "127.0.0.1", port: await freePort() }
  const { log, lines } = recordingLog()
  const first = await takeExecLock(true, log, place)
  expect(lines).toEqual([])
  using _second = await takeExecLock(true, log, place)
  expect(lines).toMatchObject([{ level: "warn", message: expect.stringMatching(/^another cluster of up --exec runs on this machine: /) }])
  first[Symbol.dispose]()
  using _third = await takeExecLock(true, log, place)
  expect(lines).toHaveLength(1)
})

test("an address that the system does not have says nothing about others", async () => {
  const { log, lines } = recordingLog()
  using _lock = await takeExecLock(false, log, { host: "192.0.2.1", port: await freePort() })
  expect(lines).toEqual([])
})
