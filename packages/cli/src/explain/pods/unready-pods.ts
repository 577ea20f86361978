import { isPodReady } from "@pilothouse/api"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import type { ExplainContext } from "../explain-context.ts"
import { crashLogLines } from "./crash-logs.ts"
import { podLines } from "./pod-state.ts"

/** Reasons that are shown; more than these are seldom read. */
const maxReasons = 5
/** Pods that are looked at: the first of a thousand say as much as all of them. */
const maxPods = 50

/** Returns the reasons why pods of these names are not ready, each reason once. */
export async function unreadyPodLines(
  client: Client,
  namespace: string | undefined,
  names: readonly string[],
  asked: ExplainContext,
): Promise<readonly string[]> {
  if (names.length === 0) return []
  const wanted = new Set(names)
  const { items } = await client.list(pods, { namespace })
  return whyUnready(
    client,
    items.filter(({ metadata }) => wanted.has(metadata.name ?? "")),
    asked,
  )
}

interface UnreadyPod {
  /** As of the first of them. */
  readonly reason: string
  readonly of: readonly Pod[]
}

async function whyUnready(client: Client, found: readonly Pod[], asked: ExplainContext): Promise<readonly string[]> {
  const unready = found.filter((pod) => !isPodReady(pod) && pod.status?.phase !== "Succeeded")
  const sameReason = new Map<string, UnreadyPod>()
  for (const pod of unready.slice(0, maxPods)) {
    const reason = (await podLines(client, pod, asked)).join("; ") || "its kubelet has not said anything of it yet"
    const first = sameReason.get(withoutAddresses(reason)) ?? { reason, of: [] }
    sameReason.set(withoutAddresses(reason), { ...first, of: [...first.of, pod] })
  }
  const shown = [...sameReason.values()].slice(0, maxReasons)
  const omitted = unready.length - shown.flatMap(({ of }) => of).length
  // One of those whom it holds is enough to read the log of.
  const lines = shown.map(({ reason, of }) => `${who(of)}: ${[reason, ...crashLogLines(of[0]!, asked)].join("; ")}`)
  return omitted === 0 ? lines : [...lines, `and ${omitted} more pods that are not ready`]
}

/** A probe that fails says where it has asked, and each pod has an address of its own. */
function withoutAddresses(reason: string): string {
  return reason.replaceAll(/\d{1,3}(\.\d{1,3}){3}|\[[\da-f:]{1,45}\]/g, "…")
}

function who(of: readonly Pod[]): string {
  const [first, second, ...more] = of.map(({ metadata }) => metadata.name ?? "")
  if (second === undefined) return first ?? ""
  return more.length === 0 ? `${first} and ${second}` : `${first}, ${second} and ${more.length} more`
}
