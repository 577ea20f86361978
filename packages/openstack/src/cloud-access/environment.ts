import type { CloudSettings } from "./settings.ts"

export type Environment = Readonly<Record<string, string | undefined>>

/** These alone make no cloud of their own: they only say something about one that is named elsewhere. */
const notACloud: ReadonlySet<string> = new Set(["OS_CLOUD", "OS_CLIENT_CONFIG_FILE", "OS_CLIENT_SECURE_FILE", "OS_REGION_NAME"])

/** About the cloud and not about the user. */
const aboutCloud: ReadonlySet<string> = new Set(["auth_type", "region_name", "interface", "endpoint_type", "cacert", "insecure", "verify"])

/** The cloud that OS_* variables describe, as an openrc file sets them. Undefined where there are none. */
export function environmentCloud(environment: Environment): CloudSettings | undefined {
  const entries = Object.entries(environment).filter(([name, value]) => name.startsWith("OS_") && value && !notACloud.has(name))
  if (entries.length === 0) return undefined
  const values = Object.fromEntries(entries.map(([name, value]) => [name.slice("OS_".length).toLowerCase(), value ?? ""]))
  const auth = Object.entries(values).filter(([name]) => !aboutCloud.has(name) && !name.endsWith("_endpoint_override"))
  return {
    auth: Object.fromEntries(auth),
    auth_type: values.auth_type,
    region_name: environment.OS_REGION_NAME,
    interface: values.interface ?? values.endpoint_type,
    cacert: values.cacert,
    ...(isTrue(values.insecure) || values.verify?.toLowerCase() === "false" ? { verify: false } : {}),
    endpoints: endpointOverrides(values),
    from: "the OS_* variables",
  }
}

/** load_balancer_endpoint_override is of service type "load-balancer". */
export function endpointOverrides(values: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const entries = Object.entries(values).flatMap(([name, value]) => {
    const service = /^(.+)_endpoint_override$/.exec(name)?.[1]
    return service === undefined || typeof value !== "string" || value === "" ? [] : [[service.replaceAll("_", "-"), value] as const]
  })
  return Object.fromEntries(entries)
}

function isTrue(text: string | undefined): boolean {
  return ["1", "true", "yes", "on"].includes(text?.toLowerCase() ?? "")
}
