import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { Attach, CoreV1Api, Cp, Exec, KubeConfig, PortForward, type V1Pod, type V1Status } from "@kubernetes/client-node"
import { startCluster } from "../cluster.ts"
import { streamPods } from "../streams.ts"

/** Its Exec, Attach, Cp and PortForward on process pods of a cluster of their own. Throws with what is wrong. */
export async function streamsAreServed(): Promise<void> {
  await using cluster = await startCluster("--exec")
  const config = new KubeConfig()
  config.loadFromFile(cluster.kubeconfig)
  const core = config.makeApiClient(CoreV1Api)
  const namespace = "default"
  for (const body of (JSON.parse(streamPods) as { items: V1Pod[] }).items) await core.createNamespacedPod({ namespace, body })
  await eventually("the pod runs", async () => (await core.readNamespacedPod({ namespace, name: "streams" })).status?.phase === "Running")
  await execs(config)
  await attaches(config)
  await copies(config, cluster.directory)
  await forwards(config)
}

async function execs(config: KubeConfig): Promise<void> {
  const [out, input] = [new PassThrough(), new PassThrough()]
  let said = ""
  out.on("data", (chunk: Buffer) => (said += chunk.toString()))
  const command = ["sh", "-c", "read line; echo $GREETING $line; exit 3"]
  const status = await new Promise<V1Status>((resolve, reject) => {
    new Exec(config).exec("default", "streams", "main", command, out, null, input, false, resolve).catch(reject)
    input.write("you\n")
  })
  const code = status.details?.causes?.[0]?.message
  if (said !== "hello you\n" || code !== "3")
    throw new Error(`expected "hello you" and exit code 3, found ${JSON.stringify([said, status])}`)
}

async function attaches(config: KubeConfig): Promise<void> {
  const [out, input] = [new PassThrough(), new PassThrough()]
  let said = ""
  out.on("data", (chunk: Buffer) => (said += chunk.toString()))
  const socket = await new Attach(config).attach("default", "streams", "main", out, null, input, false)
  input.write("word\n")
  await eventually("the process answers", async () => said.includes("got word"))
  socket.close()
}

async function copies(config: KubeConfig, directory: string): Promise<void> {
  const there = join(directory, "there")
  mkdirSync(there)
  // It packs a folder.
  const folder = join(directory, "from-here")
  mkdirSync(folder)
  const file = join(folder, "file.txt")
  writeFileSync(file, "copied".repeat(10_000))
  const copying = new Cp(config)
  await copying.cpToPod("default", "streams", "main", folder, there)
  await eventually("the file is there", async () => isSame(file, join(there, "file.txt")))
  const back = join(directory, "back")
  mkdirSync(back)
  await copying.cpFromPod("default", "streams", "main", "file.txt", back, there)
  await eventually("the file is back", async () => isSame(file, join(back, "file.txt")))
}

async function forwards(config: KubeConfig): Promise<void> {
  const forward = new PortForward(config)
  const server = createServer((socket) => void forward.portForward("default", "streams", [8080], socket, null, socket))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    const said = await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/here`)).text()
    if (said !== "served /here") throw new Error(`expected "served /here", found ${said}`)
  } finally {
    server.close()
  }
}

function isSame(one: string, other: string): boolean {
  return existsSync(other) && readFileSync(one).equals(readFileSync(other))
}

/** Asks again until it is so, for 20 s. */
async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 20_000
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`${what}: not within 20 s`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
