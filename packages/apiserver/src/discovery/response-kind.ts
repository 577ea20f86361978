import type { Descriptor, Subresource } from "@pilothouse/api"

export interface ResponseKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** The kind of a subresource's bodies. Group and version are empty where they are the resource's own. */
export function responseKindOf(descriptor: Descriptor, { kind }: Subresource): ResponseKind {
  if (kind === undefined) return { group: "", version: "", kind: descriptor.kind }
  const parts = kind.split("/")
  const [group, version, name] = parts.length === 3 ? parts : ["", ...parts]
  if (group === descriptor.group && version === descriptor.version) return { group: "", version: "", kind: name ?? kind }
  return { group: group ?? "", version: version ?? "", kind: name ?? kind }
}
