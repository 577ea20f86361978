import { kindOf, typeOf } from "./kinds.ts"
import { failedValue, Optional, type Value } from "./value.ts"

const goTypes: Readonly<Record<string, string>> = {
  list: "*types.baseList",
  map: "*types.baseMap",
  type: "*types.Type",
  "kubernetes.Quantity": "cel.Quantity",
  "net.IP": "cel.IP",
  "net.CIDR": "cel.CIDR",
}

/** Returns the name that upstream's program has for the type of a value: some of its messages show it. */
export function goTypeOf(value: Value): string {
  if (value === failedValue) return "*types.Err"
  const kind = value instanceof Optional ? "Optional" : kindOf(value)
  if (kind === "opaque") return goTypes[typeOf(value).name] ?? `cel.${typeOf(value).name.split(".").at(-1)}`
  return goTypes[kind] ?? `${kind === "Optional" ? "*" : ""}types.${kind[0]?.toUpperCase()}${kind.slice(1)}`
}
