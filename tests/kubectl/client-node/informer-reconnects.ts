import assert from "node:assert/strict"
import { CoreV1Api, type KubeConfig, ListWatch, type V1ConfigMap, Watch } from "@kubernetes/client-node"
import { soon } from "./soon.ts"

const namespace = "default"
const label = "client-node-informer"

/** The client ends a quiet watch after 30 s and begins another from what it saw last: no event comes twice and none is lost. */
export async function informerReconnects(config: KubeConfig): Promise<void> {
  const core = config.makeApiClient(CoreV1Api)
  const labelSelector = `${label}=yes`
  const list = () => core.listNamespacedConfigMap({ namespace, labelSelector })
  const informer = new ListWatch<V1ConfigMap>(`/api/v1/namespaces/${namespace}/configmaps`, new Watch(config), list, false, labelSelector)
  const added: string[] = []
  const errors: unknown[] = []
  const waiting = { first: Promise.withResolvers<void>(), again: Promise.withResolvers<void>(), second: Promise.withResolvers<void>() }
  let connections = 0
  informer.on("add", ({ metadata }) => {
    added.push(metadata?.name ?? "")
    waiting[metadata?.name === `${label}-1` ? "first" : "second"].resolve()
  })
  informer.on("connect", () => {
    if (++connections > 1) waiting.again.resolve()
  })
  informer.on("error", (error: unknown) => errors.push(error))
  const create = (number: number) =>
    core.createNamespacedConfigMap({ namespace, body: { metadata: { name: `${label}-${number}`, labels: { [label]: "yes" } } } })
  await informer.start()
  try {
    await create(1)
    await soon(15_000, "the first was received", waiting.first.promise)
    await soon(60_000, "the informer connected again", waiting.again.promise)
    await create(2)
    await soon(15_000, "the second was received", waiting.second.promise)
  } finally {
    await informer.stop()
  }
  assert.deepEqual(added, [`${label}-1`, `${label}-2`])
  assert.deepEqual(errors, [])
}
