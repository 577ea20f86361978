import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Deployment, deployments } from "@pilothouse/api/apps/v1"
import { type Client, createClient, defaultTransport } from "@pilothouse/runtime"
import type { Transport } from "@pilothouse/seams"
import { Child } from "./child.ts"

/** The project's own folder. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
/** What a person types. */
export const launcher = join(root, "packages/cli/bin/pilothouse.js")

/** `pilothouse up`, as a person would start it, in a folder of its own. */
export interface UpCluster extends AsyncDisposable {
  readonly client: Client
  readonly transport: Transport
  readonly kubeconfig: string
}

export async function startUp(flags: readonly string[], userAgent: string): Promise<UpCluster> {
  await using starting = new AsyncDisposableStack()
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-up-"))
  starting.defer(() => rmSync(directory, { recursive: true, force: true }))
  const args = [launcher, "up", "--json", "--port", "0", "--data-dir", directory, ...flags]
  const child = new Child({ name: "pilothouse up", program: process.execPath, args, directory: root })
  starting.defer(() => child.stop())
  await eventually("pilothouse up to say where it is", async () => {
    if (!child.running) throw new Error(`pilothouse up ended while it started:\n${child.output}`)
    return child.output.includes('"server"')
  })
  const kubeconfig = join(directory, "kubeconfig")
  const { transport, close } = await defaultTransport({ kubeconfig })
  starting.defer(close)
  const running = starting.move()
  return { client: createClient(transport, { userAgent }), transport, kubeconfig, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** As `kubectl rollout restart` does it; ends when every pod is a new one. */
export async function rollOut(client: Client, key: string, time: number): Promise<void> {
  const template = { metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": `the ${time}. time` } } }
  await client.patch(deployments, key, { spec: { template } }, { type: "strategic" })
  await untilRolledOut(client, key)
}

export async function untilRolledOut(client: Client, key: string): Promise<void> {
  await eventually(`${key} to be rolled out`, async () => isRolledOut(await client.get(deployments, key)))
}

/** As `kubectl rollout status` sees it. */
function isRolledOut({ metadata, spec, status }: Deployment): boolean {
  const counts = [status?.replicas, status?.updatedReplicas, status?.availableReplicas]
  return status?.observedGeneration === metadata.generation && counts.every((count) => count === spec?.replicas)
}

/** Asks again until it is so. What is right takes a second or two; the limit is for what never comes. */
export async function eventually(what: string, isSo: () => Promise<boolean>, limit = 180_000): Promise<void> {
  const end = performance.now() + limit
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`expected ${what} within ${limit / 1000} s`)
    await new Promise((resolve) => void setTimeout(resolve, 20))
  }
}
