// npm run test:real -- quota: devices, and the extended resources that their classes stand for, counted by the real API server and controller
// manager and by ours.
import { setTimeout as delay } from "node:timers/promises"
import { createControllers } from "@pilothouse/controllers"
import { createManager, defaultTransport } from "@pilothouse/runtime"
import { silentLog } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import type { ApiAnswer, ApiClient } from "../api-client.ts"
import { startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { startOurApiServer } from "../our-api-server.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import type { Group } from "../tally.ts"
import { core, quotas, type Step, story } from "./story.ts"

export const suite: Suite = {
  skipReason: needsKubernetes,
  run,
}

/** Without controllers nobody makes the service accounts that this plugin would ask for. */
const disabledPlugins = ["ServiceAccount"]
/** Until the caches of a real server have seen what was written. */
const seen = 250
const patience = 60_000

async function run({ tally }: SuiteContext): Promise<void> {
  await using real = await startControlPlane({ apiServerFlags: [`--disable-admission-plugins=${disabledPlugins}`] })
  await using ours = await startOurApiServer({ disabledPlugins })
  const servers = [new Told(real.client), new Told(ours.client)] as const
  for (const server of servers) await server.makeQuotas()
  await tally.group(`${story.length} requests`, async (group) => {
    for (const step of story) {
      await delay(seen)
      const [theirs, own] = await Promise.all(servers.map((server) => server.tell(step)))
      group.case(step.name, theirs === own ? undefined : `the server: ${theirs}\nours:       ${own}`)
    }
  })
  await tally.group("counted by the loops", async (group) => {
    await real.startControllerManager(["--controllers=resourcequota-controller", "--leader-elect=false"])
    await using _ours = await runLoop(ours.kubeconfig("admin"))
    await recounted(group, servers)
  })
}

/** Each starts from numbers that are wrong: what stands there afterwards was counted. */
async function recounted(group: Group, servers: readonly [Told, Told]): Promise<void> {
  for (const server of servers) await server.forget()
  const deadline = performance.now() + patience
  while (performance.now() < deadline && !(await Promise.all(servers.map((server) => server.isCounted()))).every(Boolean)) await delay(100)
  for (const name of Object.keys(quotas)) {
    const [theirs, own] = await Promise.all(servers.map((server) => server.used(name)))
    const counted = await servers[0].isCounted()
    group.case(`the quota ${name}`, counted && theirs === own ? undefined : `the loop: ${theirs}\nours:     ${own}`)
  }
}

/** One of the two servers, and the uids it has given. */
class Told {
  readonly #client: ApiClient
  readonly #uids = new Map<string, string>()

  constructor(client: ApiClient) {
    this.#client = client
  }

  /** As a quota loop would leave them. */
  async makeQuotas(): Promise<void> {
    for (const [name, hard] of Object.entries(quotas)) {
      await this.#client.object({ verb: "POST", path: `${core}/resourcequotas`, body: { metadata: { name }, spec: { hard } } })
      await this.#setStatus(name, { hard, used: Object.fromEntries(Object.keys(hard).map((one) => [one, "0"])) })
    }
  }

  /** The answer in words, and what is used of every quota afterwards. */
  async tell({ name: _name, body, ...request }: Step): Promise<string> {
    const filled = JSON.stringify(body ?? null).replaceAll(/<uid of (\w+)>/g, (_all, pod: string) => this.#uids.get(pod) ?? "none")
    const answer = await this.#client.send({ ...request, ...(body !== undefined && { body: JSON.parse(filled) }) })
    const { metadata, message } = answer.value as { metadata?: { name?: string; uid?: string }; message?: string }
    if (metadata?.name !== undefined && metadata.uid !== undefined) this.#uids.set(metadata.name, metadata.uid)
    const used = await Promise.all(Object.keys(quotas).map((quota) => this.used(quota)))
    return [wordsOf(answer, message), ...used].join("\n  ")
  }

  async used(quota: string): Promise<string> {
    const { status } = await this.#client.object<{ status: { used?: Record<string, string> } }>({
      verb: "GET",
      path: `${core}/resourcequotas/${quota}`,
    })
    return Object.entries(status.used ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, amount]) => `${name}=${amount}`)
      .join(" ")
  }

  /** Another limit makes a loop look, whatever it has seen. */
  async forget(): Promise<void> {
    for (const [name, hard] of Object.entries(quotas)) {
      await this.#setStatus(name, { hard, used: Object.fromEntries(Object.keys(hard).map((one) => [one, "77"])) })
      const spec = { hard: { ...hard, configmaps: "99" } }
      const contentType = "application/merge-patch+json"
      await this.#client.object({ verb: "PATCH", path: `${core}/resourcequotas/${name}`, contentType, body: { spec } })
    }
  }

  async isCounted(): Promise<boolean> {
    const all = await Promise.all(Object.keys(quotas).map((name) => this.used(name)))
    return all.every((used) => used.includes("configmaps=") && !used.includes("=77"))
  }

  async #setStatus(name: string, status: object): Promise<void> {
    const path = `${core}/resourcequotas/${name}/status`
    await this.#client.object({ verb: "PATCH", path, contentType: "application/merge-patch+json", body: { status } })
  }
}

function wordsOf({ status }: ApiAnswer, message: string | undefined): string {
  return status < 300 ? String(status) : `${status} ${message}`
}

async function runLoop(kubeconfig: string): Promise<AsyncDisposable> {
  const server = await defaultTransport({ kubeconfig, clock: systemClock })
  const controllers = createControllers({ select: ["resourcequota-controller"] })
  const manager = createManager({
    controllers,
    transport: server.transport,
    clock: systemClock,
    random: systemRandom(),
    log: silentLog,
    grace: 300,
  })
  const stopping = new AbortController()
  const running = manager.run(stopping.signal)
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
      await server.close()
    },
  }
}
