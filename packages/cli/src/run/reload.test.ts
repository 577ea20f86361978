import type { GivenSettings } from "@pilothouse/runtime"
import { recordingLog } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { reloading } from "./reload.ts"
import { settingsOf } from "./settings.ts"

/** `run` that was started with a file; the file may be written again. It has two connections, of which the second may be broken. */
function started(file: GivenSettings) {
  const state = { file, kubeconfigs: [] as string[], levels: [] as string[], broken: false, open: 0, prepared: Promise.resolve() }
  const { log, lines } = recordingLog()
  const hangUp = reloading({
    started: settingsOf({}, file),
    read: () => settingsOf({}, state.file),
    change: (own) => void state.levels.push(own["log-level"]),
    connections: [
      {
        async prepare({ kubeconfig }) {
          await state.prepared
          state.open++
          return { take: () => void state.kubeconfigs.push(kubeconfig), [Symbol.asyncDispose]: async () => void state.open-- }
        },
      },
      {
        async prepare() {
          if (state.broken) throw new Error("expected a kubeconfig, found nothing")
          return { take() {}, async [Symbol.asyncDispose]() {} }
        },
      },
    ],
    log,
  })
  return { state, hangUp, said: () => lines.map(({ level, message, fields }) => ({ level, message, ...fields })) }
}

test("what can change is taken over, and what needs a restart is named", async () => {
  const { state, hangUp, said } = started({ kubeconfig: "/old" })
  state.file = { kubeconfig: "/new", "log-level": "debug", "leader-elect": false, "concurrent-deployment-syncs": 9 }
  await hangUp()
  expect(state).toMatchObject({ kubeconfigs: ["/new"], levels: ["debug"] })
  expect(said()).toEqual([
    {
      level: "info",
      message: "read again",
      changed: "kubeconfig, log-level",
      needsRestart: "leader-elect, concurrent-deployment-syncs",
    },
  ])
})

test("with nothing changed the credentials are read again all the same", async () => {
  const { state, hangUp, said } = started({ kubeconfig: "/old" })
  await hangUp()
  expect(state.kubeconfigs).toEqual(["/old"])
  expect(said()).toMatchObject([{ changed: "credentials only", needsRestart: "nothing" }])
})

test("the second time reports what has changed since the first, and what still waits for a restart", async () => {
  const { state, hangUp, said } = started({})
  state.file = { "log-level": "debug", "leader-elect": false }
  await hangUp()
  state.file = { ...state.file, context: "other" }
  await hangUp()
  expect(said()[1]).toMatchObject({ changed: "context", needsRestart: "leader-elect" })
})

const bad: readonly [string, GivenSettings, string][] = [
  ["an unknown flag", { "leader-electt": true }, 'did you mean "leader-elect"?'],
  [
    "a word that is none, beside a kubeconfig that could be taken over",
    { kubeconfig: "/new", "log-level": "loud" },
    "--log-level: expected debug, info, warn or error",
  ],
  ["a bad value", { "leader-elect-lease-duration": "soon" }, "--leader-elect-lease-duration: expected a duration"],
]
test.each(bad)("a bad file is reported and the old values stay: %s", async (_what, file, complaint) => {
  const { state, hangUp, said } = started({ kubeconfig: "/old" })
  state.file = file
  await hangUp()
  expect(state).toMatchObject({ kubeconfigs: [], levels: [] })
  expect(said()).toMatchObject([{ level: "error", error: expect.stringContaining(complaint) }])
})

test("where the kubeconfig cannot be used nothing else changes either", async () => {
  const { state, hangUp, said } = started({})
  state.broken = true
  state.file = { "log-level": "debug" }
  await hangUp()
  expect(state.levels).toEqual([])
  expect(said()).toMatchObject([{ level: "error", error: "expected a kubeconfig, found nothing" }])
  // The connection before it was ready: it is closed, and was never asked through.
  expect([state.kubeconfigs, state.open]).toEqual([[], 0])
})

test("signals that come while it is read again overlapped; one waits, and stands for all", async () => {
  const { state, hangUp, said } = started({})
  const held = Promise.withResolvers<void>()
  state.prepared = held.promise
  state.file = { kubeconfig: "/first" }
  const first = hangUp()
  await Promise.resolve()
  const others = [hangUp(), hangUp()]
  state.file = { kubeconfig: "/second" }
  held.resolve()
  await Promise.all([first, ...others])
  expect(state.kubeconfigs).toEqual(["/first", "/second"])
  expect(said()).toMatchObject([{ changed: "kubeconfig" }, { changed: "kubeconfig" }])
})
