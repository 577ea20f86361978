// npm run test:real -- quota: devices, and the extended resources that their classes stand for, counted by the real API server and controller
// manager and by ours.
import { setTimeout as delay } from "node:timers/promises"
import { createControllers } from "@pilothouse/controllers"
import { createManager, defaultTransport } from "@pilothouse/runtime"
import { silentLog } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { startOurApiServer } from "../our-api-server.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import type { Group } from "../tally.ts"
import { quotas, story } from "./story.ts"
import { Told } from "./told-server.ts"

export const suite: Suite = {
  skipReason: needsKubernetes,
  run,
}

/** Without controllers nothing creates the service accounts that this plugin requires. */
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
  await tally.group("counted by the controllers", async (group) => {
    await real.startControllerManager(["--controllers=resourcequota-controller", "--leader-elect=false"])
    await using _ours = await runController(ours.kubeconfig("admin"))
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
    group.case(`the quota ${name}`, counted && theirs === own ? undefined : `the controller: ${theirs}\nours:           ${own}`)
  }
}

async function runController(kubeconfig: string): Promise<AsyncDisposable> {
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
