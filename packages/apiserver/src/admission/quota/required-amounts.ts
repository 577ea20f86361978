import type { Pod } from "@pilothouse/api/core/v1"

/** A quota of these counts only if every container says how much it takes. */
const required: Readonly<Record<string, readonly ["requests" | "limits", string]>> = {
  cpu: ["requests", "cpu"],
  memory: ["requests", "memory"],
  "requests.cpu": ["requests", "cpu"],
  "requests.memory": ["requests", "memory"],
  "limits.cpu": ["limits", "cpu"],
  "limits.memory": ["limits", "memory"],
}

/** What containers have to say and do not: "must specify limits.cpu for: a,b; requests.memory for: a". */
export function unsaidAmounts({ spec }: Pod, hard: readonly string[]): string | undefined {
  // Resources of the pod as a whole stand for those of its containers.
  if (Object.keys({ ...spec?.resources?.requests, ...spec?.resources?.limits }).length > 0) return undefined
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])]
  const texts = [...hard].sort().flatMap((name) => {
    const [kind, resource] = Object.hasOwn(required, name) ? (required[name] ?? []) : []
    if (kind === undefined || resource === undefined) return []
    const silent = containers.filter(({ resources }) => resources?.[kind]?.[resource] === undefined).map((one) => one.name)
    return silent.length === 0 ? [] : [`${name} for: ${[...new Set(silent)].sort().join(",")}`]
  })
  return texts.length === 0 ? undefined : `must specify ${texts.join("; ")}`
}
