import { silentLog } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { RequestTurns } from "./request-turns.ts"

function connection() {
  const codes: number[] = []
  return { codes, destroy: (_: undefined, code: number) => void codes.push(code) }
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test("a flood of requests is begun in turns and in order", async () => {
  const turns = new RequestTurns(250, silentLog)
  const session = connection()
  const begun: number[] = []
  for (let request = 0; request < 200; request++) turns.add(session, () => void begun.push(request))
  const counts = [begun.length]
  for (let turn = 0; turn < 3; turn++) {
    await nextTurn()
    counts.push(begun.length)
  }
  expect(counts).toEqual([64, 128, 192, 200])
  expect(begun).toEqual(Array.from({ length: 200 }, (_, request) => request))
  expect(session.codes).toEqual([])
})

test("connections share what is begun in a turn", async () => {
  const turns = new RequestTurns(250, silentLog)
  let begun = 0
  for (let request = 0; request < 50; request++) for (const session of [connection(), connection()]) turns.add(session, () => void begun++)
  expect(begun).toBe(64)
  await nextTurn()
  expect(begun).toBe(100)
})

test("a connection that opens and resets streams without end is closed once", async () => {
  const turns = new RequestTurns(100, silentLog)
  const [flood, quiet] = [connection(), connection()]
  let begun = 0
  for (let request = 0; request < 1000; request++) turns.add(flood, () => void begun++)
  turns.add(quiet, () => void begun++)
  expect(flood.codes).toEqual([0xb])
  for (let turn = 0; turn < 5; turn++) await nextTurn()
  expect([begun, quiet.codes.length]).toEqual([265, 0])
})

test("a connection may open as many streams again in a later turn", async () => {
  const turns = new RequestTurns(10, silentLog)
  const session = connection()
  let begun = 0
  for (let turn = 0; turn < 5; turn++) {
    for (let request = 0; request < 60; request++) turns.add(session, () => void begun++)
    await nextTurn()
  }
  expect([begun, session.codes.length]).toEqual([300, 0])
})
