import assert from "node:assert/strict"
import { CoreV1Api, type KubeConfig, type V1Pod, Watch } from "@kubernetes/client-node"
import { soon } from "./soon.ts"

const namespace = "default"
const label = "client-node-watch"

/** A watch with a label selector shows a pod come and go, and no other. */
export async function podIsWatched(config: KubeConfig): Promise<void> {
  const core = config.makeApiClient(CoreV1Api)
  const seen: string[] = []
  const [come, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const path = `/api/v1/namespaces/${namespace}/pods`
  const onEvent = (type: string, { metadata }: V1Pod) => {
    seen.push(`${type} ${metadata?.name}`)
    if (type === "ADDED") come.resolve()
    if (type === "DELETED") gone.resolve()
  }
  const watch = await new Watch(config).watch(path, { labelSelector: `${label}=a` }, onEvent, () => {})
  try {
    for (const name of ["a", "b"]) await core.createNamespacedPod({ namespace, body: pod(name) })
    await soon(15_000, "the pod came", come.promise)
    for (const name of ["a", "b"]) await core.deleteNamespacedPod({ namespace, name: `${label}-${name}` })
    await soon(15_000, "the pod went", gone.promise)
  } finally {
    watch.abort()
  }
  assert.deepEqual([seen[0], seen.at(-1)], [`ADDED ${label}-a`, `DELETED ${label}-a`])
  assert.ok(seen.slice(1, -1).every((event) => event === `MODIFIED ${label}-a`))
}

function pod(name: string): V1Pod {
  return {
    metadata: { name: `${label}-${name}`, labels: { [label]: name } },
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example/sleep:1", command: ["sleep", "3600"] }] },
  }
}
