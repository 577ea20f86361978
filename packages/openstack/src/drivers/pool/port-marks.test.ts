import { PilothouseError, recordingLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { OpenStackError, type RefusalKind } from "../../clients/calls/errors.ts"
import type { Port } from "../../clients/neutron/types.ts"
import { PortMarks } from "./port-marks.ts"

const { signal } = new AbortController()
const testPort = (id: string) => ({ port: { id } as Port })

function refusal(kind: RefusalKind): OpenStackError {
  return new OpenStackError({ service: "neutron", kind, status: 400, type: "", call: "PUT /v2.0/ports/a", text: "no" })
}

/** A cloud that takes a second for each, and answers so for the first port. */
function stage(error?: Error) {
  const clock = new VirtualClock()
  const asked: string[] = []
  const { log, lines } = recordingLog()
  const marks = new PortMarks({
    log,
    mark: async (_, { port }) => {
      asked.push(port.id)
      await clock.sleep(1000, { name: "the cloud" })
      if (error !== undefined && port.id === "a") throw error
    },
  })
  for (const id of ["a", "b", "c"]) marks.add(id, testPort(id))
  return { clock, asked, lines, marks }
}

test("each is written on once, one after the other, also when a round begins while one is under way", async () => {
  const { clock, asked, marks } = stage()
  for (let time = 0; time < 3; time++) void marks.work(signal)
  await clock.advance("1500ms")
  expect(asked).toEqual(["a", "b"])
  await clock.advance("5s")
  await marks.work(signal)
  expect(asked).toEqual(["a", "b", "c"])
})

test("a cloud that is away is asked for one; one that fails again and again keeps the others for one round, and is tried in each", async () => {
  const { clock, asked, marks } = stage(new PilothouseError("CONNECTION_LOST", "away"))
  void marks.work(signal)
  await clock.advance("10s")
  expect(asked).toEqual(["a"])
  for (let time = 0; time < 2; time++) {
    void marks.work(signal)
    await clock.advance("10s")
  }
  expect(asked).toEqual(["a", "b", "c", "a", "a"])
})

test("does not retry a port that was released while its mark failed", async () => {
  const { clock, asked, marks } = stage(new PilothouseError("CONNECTION_LOST", "away"))
  void marks.work(signal)
  await clock.advance("10ms")
  void marks.gone("a")
  await clock.advance("10s")
  void marks.work(signal)
  await clock.advance("10s")
  expect(asked).toEqual(["a", "b", "c"])
})

test.each(["not-found", "forbidden", "invalid"] as const)(
  "a permanent refusal (%s) does not delay other ports and is not retried; it is logged if the port still exists",
  async (kind) => {
    const { clock, asked, lines, marks } = stage(refusal(kind))
    for (let time = 0; time < 2; time++) {
      void marks.work(signal)
      await clock.advance("10s")
    }
    expect(asked).toEqual(["a", "b", "c"])
    expect(lines.map(({ fields }) => fields.port)).toEqual(kind === "not-found" ? [] : ["a"])
  },
)

test("a release waits for the write in progress on its port, and no longer; a mark that was not begun is dropped", async () => {
  const { clock, asked, marks } = stage()
  void marks.work(signal)
  await clock.advance("10ms")
  const gone: string[] = []
  for (const id of ["a", "c"]) void marks.gone(id).then(() => gone.push(id))
  await clock.advance("500ms")
  expect(gone).toEqual(["c"])
  await clock.advance("5s")
  expect([gone, asked]).toEqual([
    ["c", "a"],
    ["a", "b"],
  ])
})
