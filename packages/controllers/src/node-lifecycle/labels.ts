import type { Node } from "@pilothouse/api/core/v1"

/** The older label of each, which old workloads still select by. */
const olderLabels = [
  ["kubernetes.io/os", "beta.kubernetes.io/os"],
  ["kubernetes.io/arch", "beta.kubernetes.io/arch"],
] as const

/** The older labels that are missing or say something else; undefined when all is well. */
export function labelChanges({ metadata: { labels = {} } }: Node): Readonly<Record<string, string>> | undefined {
  const wrong = olderLabels.flatMap(([stable, older]) => {
    const value = labels[stable]
    return value === undefined || labels[older] === value ? [] : [[older, value] as const]
  })
  return wrong.length === 0 ? undefined : Object.fromEntries(wrong)
}
