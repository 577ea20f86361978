import type { Refusal } from "./filter.ts"

const longest = 1024

/** "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable." as kube-scheduler says it: counted and sorted by text. */
export function fitMessage(nodes: number, refusals: Iterable<Pick<Refusal, "reasons">>): string {
  const counts = new Map<string, number>()
  for (const { reasons } of refusals) for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const texts = [...counts].map(([reason, count]) => `${count} ${reason}`).sort()
  return `0/${nodes} nodes are available:${texts.length === 0 ? "" : ` ${texts.join(", ")}.`}`
}

/** An event takes no longer one. */
export function shortened(message: string): string {
  return message.length <= longest ? message : `${message.slice(0, longest - 4)} ...`
}
