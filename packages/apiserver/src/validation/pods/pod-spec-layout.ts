import type { PodSpec } from "@pilothouse/api/core/v1"
import { type GoLayout, goLayout, goStructText } from "./go-struct.ts"
import { podSpecTable } from "./pod-spec-table.ts"

/** A pod's spec as Go prints it, and what it was made of. Made when it is asked for: only refusals show it. */
export function podSpecText(spec: PodSpec, given?: unknown): string {
  return goStructText(inMemory(spec), layoutOf("PodSpec", rowsOf(podSpecTable)), given)
}

function rowsOf(table: string): ReadonlyMap<string, readonly string[]> {
  const lines = table.trim().split("\n")
  return new Map(
    lines.map((line) => {
      const [name = "", ...words] = line.split(" ")
      return [name, words]
    }),
  )
}

function layoutOf(type: string, rows: ReadonlyMap<string, readonly string[]>): GoLayout {
  const nested: Record<string, GoLayout> = {}
  const words = (rows.get(type) ?? []).map((word) => {
    const [field = "", inner] = word.split(">")
    if (inner !== undefined) nested[field.split(/[:=]/)[0] ?? ""] = layoutOf(inner, rows)
    return field
  })
  return goLayout(words.join(" "), nested)
}

/** What of the host a pod shares is said beside its security context, and kept in it. */
function inMemory({ hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers, securityContext, ...spec }: PodSpec): object {
  const shared = { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers }
  return { ...spec, securityContext: securityContext && { ...shared, ...securityContext } }
}
