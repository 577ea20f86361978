import { optionalVersions } from "@pilothouse/apiserver"
import { PilothouseError } from "@pilothouse/seams"
import { booleanValue } from "./flag-values.ts"

/** Names of upstream for several group versions at once, and which versions they mean. */
const wholes: Readonly<Record<string, RegExp>> = { "api/all": /\/v/, "api/beta": /\/v\d+beta/, "api/alpha": /\/v\d+alpha/ }

/**
 * Reads --runtime-config: "storagemigration.k8s.io/v1beta1=true". Returns the group versions that are off by default and turned on. Those that are always
 * served, or not known here, are named by command lines that are made for upstream; they change nothing.
 */
export function runtimeConfig(text: string, before: readonly string[] = []): readonly string[] {
  const enabled = new Set(before)
  for (const part of text.split(",").filter((one) => one.trim() !== "")) {
    const [key = "", value = "true", more] = part.trim().split("=")
    if (key === "" || more !== undefined) {
      const expected = 'group versions such as "storagemigration.k8s.io/v1beta1=true"'
      throw new PilothouseError("USAGE", `expected ${expected} for --runtime-config, found "${part}"`)
    }
    const isOn = booleanValue(`${key} in --runtime-config`)(value)
    const isMeant = (version: string) => wholes[key]?.test(version) ?? version === key
    for (const version of optionalVersions.filter(isMeant)) {
      if (isOn) enabled.add(version)
      else enabled.delete(version)
    }
  }
  return [...enabled]
}
