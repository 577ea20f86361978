// npm run bench -- apiserver: our API server beside kube-apiserver with etcd, on one machine in one run, with one client.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { admission } from "./apiserver/admission.ts"
import { authorizationInProcess } from "./apiserver/authorization.ts"
import { conversion } from "./apiserver/conversion.ts"
import { durableCreates } from "./apiserver/creates.ts"
import { customResources } from "./apiserver/custom-resources.ts"
import { fanOut } from "./apiserver/fan-out.ts"
import { ownershipInProcess, unchangedApply } from "./apiserver/field-ownership.ts"
import { inProcess } from "./apiserver/in-process.ts"
import { mixedLoad } from "./apiserver/mixed-load.ts"
import { type Pair, serversIn } from "./apiserver/pair.ts"
import { listPods, memory, memoryWithPods } from "./apiserver/pods.ts"
import { readyTime } from "./apiserver/ready-time.ts"
import { prepareCertificates, start } from "./apiserver/sides.ts"
import type { Bench, BenchOptions, Row } from "./bench.ts"
import { atMost } from "./beside.ts"
import { syncTime } from "./storage/sync-time.ts"
import { installed } from "./up/program.ts"

export const questions: readonly Bench[] = [
  { name: "how many creates in process", run: inProcess },
  { name: "what field ownership costs in process", run: ownershipInProcess },
  { name: "what authorization costs in process", run: authorizationInProcess },
  { name: "how long until it is ready", run: ({ peers }) => inDirectory((directory) => readyTime(directory, peers)) },
  {
    name: "how fast and how large it is, beside kube-apiserver with etcd",
    run: (options) => inDirectory((directory) => besideTheirs(directory, options)),
  },
  {
    name: "what custom resources cost, beside kube-apiserver with etcd",
    long: true,
    run: ({ peers }) => inDirectory((directory) => customResources(directory, peers)),
  },
  {
    name: "what webhooks and policies cost, beside kube-apiserver with etcd",
    long: true,
    run: ({ peers }) => inDirectory((directory) => admission(directory, peers)),
  },
  {
    name: "what conversion by webhooks costs, beside kube-apiserver with etcd",
    long: true,
    run: ({ peers }) => inDirectory((directory) => conversion(directory, peers)),
  },
]

export const prepare = installed

async function besideTheirs(directory: string, { peers }: BenchOptions): Promise<readonly Row[]> {
  const certificates = join(directory, "pki")
  const ca = await prepareCertificates(certificates)
  const program = await installed()
  const options = (side: string) => ({ certificates, data: join(directory, side), program })
  const ours = await start("ours", ca, options("ours"))
  const pair: Pair = peers ? { ours, theirs: await start("theirs", ca, options("theirs")) } : { ours }
  try {
    for (const server of serversIn(pair)) await server.ready()
    const rows = [atMost(0.25, "memory after the start", "MB", await memory(pair))]
    rows.push(...(await durableCreates(pair, await syncTime(join(directory, "sync")))))
    rows.push(...(await listPods(pair)))
    rows.push(...(await unchangedApply(pair)))
    rows.push(...(await mixedLoad(pair)))
    rows.push(...(await fanOut(pair, ca)))
    rows.push(...(await memoryWithPods(pair)))
    return rows
  } finally {
    for (const server of serversIn(pair)) await server.stop()
  }
}

async function inDirectory(measure: (directory: string) => Promise<readonly Row[]>): Promise<readonly Row[]> {
  const directory = await mkdtemp(join(tmpdir(), "pilothouse-bench-"))
  return measure(directory).finally(() => rm(directory, { recursive: true, force: true }))
}
