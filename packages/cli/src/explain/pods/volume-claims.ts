import { isNotFound, keyOf } from "@pilothouse/api"
import { type PersistentVolumeClaim, type Pod, persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { type ExplainContext, shownCommand } from "../explain-context.ts"

/** Claims that a pod cannot be placed without. One that waits for its first pod is placed together with it. */
export async function unboundClaims(
  client: Client,
  pod: Pod,
  asked: Pick<ExplainContext, "defaultNamespace"> = {},
): Promise<readonly string[]> {
  const lines = await Promise.all(claimNames(pod).map((name) => claimTrouble(client, name, pod.metadata.namespace, asked)))
  return lines.flat()
}

function claimNames({ metadata, spec }: Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName]
    return ephemeral ? [`${metadata.name}-${name}`] : []
  })
}

async function claimTrouble(
  client: Client,
  name: string,
  namespace: string | undefined,
  { defaultNamespace }: Pick<ExplainContext, "defaultNamespace">,
): Promise<readonly string[]> {
  try {
    const { status } = await client.get(persistentVolumeClaims, keyOf({ metadata: { name, namespace } }))
    if (status?.phase === "Bound") return []
    return [`its claim ${name} is not bound: ${shownCommand(`pilothouse explain pvc/${name}`, namespace, defaultNamespace)} says why`]
  } catch (error) {
    if (isNotFound(error)) return [`its claim ${name} does not exist`]
    throw error
  }
}

/** Returns the pods that keep a claim from being deleted and its volume from being used elsewhere. */
export async function claimUsers(client: Client, { metadata }: PersistentVolumeClaim): Promise<readonly string[]> {
  const { items } = await client.list(pods, { namespace: metadata.namespace })
  const users = items.filter((pod) => claimNames(pod).includes(metadata.name ?? "")).map((pod) => pod.metadata.name)
  return users.length === 0 ? [] : [`used by ${users.length === 1 ? "the pod" : "the pods"} ${users.join(", ")}`]
}
