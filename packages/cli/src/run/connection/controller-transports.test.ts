import { recordingLog, seededRandom, type Transport, type TransportRequest, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { settingsOf } from "../settings.ts"
import { controllerTransports } from "./controller-transports.ts"
import type { ClusterChoice, SwappableTransport } from "./swappable-transport.ts"

const get: TransportRequest = { verb: "GET", path: "/api/v1/pods", query: {}, headers: {} }
const answers: Transport = async () => ({ status: 200, headers: {}, body: { type: "value", value: {} } })
const controllers = ["job-controller", "cronjob-controller", "deployment-controller"] as const

interface Opened extends SwappableTransport {
  readonly reopened: string[]
}

function connection(prepare: () => Promise<void> = async () => {}): Opened {
  const reopened: string[] = []
  return {
    transport: answers,
    server: "https://127.0.0.1:6443",
    reopened,
    authorities: () => undefined,
    async prepare({ kubeconfig }: ClusterChoice) {
      await prepare()
      return { take: () => void reopened.push(kubeconfig), async [Symbol.asyncDispose]() {} }
    },
    async [Symbol.asyncDispose]() {},
  }
}

/** `openings`: what becomes of each attempt to open one, in order. */
function made(words: Record<string, string>, openings: (() => Promise<SwappableTransport>)[]) {
  const { own } = settingsOf({ "use-service-account-credentials": "true", ...words }, {})
  const clock = new VirtualClock()
  const seams = { clock, random: seededRandom(1), files: virtualFiles(clock), log: recordingLog().log, host: "here" }
  const common = connection()
  const asked: string[] = []
  return {
    own,
    common,
    transports: controllerTransports(own, common, seams, ({ kubeconfig }) => (asked.push(kubeconfig), openings.shift()!())),
    asked,
  }
}

test("a connection that could not be opened was never opened again", async () => {
  const { transports } = made({}, [() => Promise.reject(new Error("no kubeconfig")), async () => connection()])
  const transport = transports.for(controllers[0])
  await expect(transport(get)).rejects.toThrow("no kubeconfig")
  expect((await transport(get)).status).toBe(200)
  expect((await transport(get)).status).toBe(200)
})

test("one connection that could not be opened kept all others from being read again", async () => {
  const good = connection()
  const never = Promise.withResolvers<SwappableTransport>()
  const { own, transports } = made({}, [() => never.promise, async () => good])
  const waiting = transports.for(controllers[2])(get)
  await transports.for(controllers[1])(get)
  const preparing = transports.prepare({ ...own, kubeconfig: "/new" })
  never.reject(new Error("lost"))
  await expect(waiting).rejects.toThrow("lost")
  await using fresh = await preparing
  expect(good.reopened).toEqual([])
  fresh.take()
  expect(good.reopened).toEqual(["/new"])
})

test("where one cannot be read again all stay what they are, and so does what is opened later", async () => {
  const good = connection()
  const failing = connection(() => Promise.reject(new Error("cannot be read")))
  const { own, transports, asked } = made({ kubeconfig: "/old" }, [async () => failing, async () => good, async () => connection()])
  await transports.for(controllers[0])(get)
  await transports.for(controllers[1])(get)
  await expect(transports.prepare({ ...own, kubeconfig: "/new" })).rejects.toThrow("cannot be read")
  await transports.for(controllers[2])(get)
  expect([good.reopened, asked]).toEqual([[], ["/old", "/old", "/old"]])
})

test("one that is opened while the others are read again is made by what comes of that", async () => {
  const { own, transports, asked } = made({ kubeconfig: "/old" }, [async () => connection(), async () => connection()])
  await transports.for(controllers[0])(get)
  const fresh = await transports.prepare({ ...own, kubeconfig: "/new" })
  const waiting = transports.for(controllers[1])(get)
  await Promise.resolve()
  expect(asked).toEqual(["/old"])
  fresh.take()
  await fresh[Symbol.asyncDispose]()
  expect([(await waiting).status, asked]).toEqual([200, ["/old", "/new"]])
})

test("a dry run asked for tokens and made accounts; now it has the common connection", () => {
  const { common, transports } = made({ "dry-run": "true" }, [])
  expect(transports.for(controllers[0])).toBe(common.transport)
})

test("without a dry run each controller asks as its own account", () => {
  const { common, transports } = made({}, [])
  expect(transports.for(controllers[0])).not.toBe(common.transport)
})
