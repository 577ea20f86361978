import type { Descriptor } from "@pilothouse/api"

/** Deprecated kinds: every answer about them carries a warning. */
const deprecated: Readonly<Record<string, string>> = {
  componentstatuses: "v1 ComponentStatus is deprecated in v1.19+",
  endpoints: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
}

export function deprecationOf({ group, plural }: Pick<Descriptor, "group" | "plural">): readonly string[] {
  const text = group === "" && Object.hasOwn(deprecated, plural) ? deprecated[plural] : undefined
  return text === undefined ? [] : [text]
}
