import { PilothouseError } from "@pilothouse/seams"
import { loginOptions } from "../configuration/login-options.ts"
import { endpointOverrides } from "./environment.ts"
import type { CloudSettings } from "./settings.ts"

type Mapping = Readonly<Record<string, unknown>>

/** The clouds of a clouds.yaml, parsed, with the secrets of a secure.yaml laid over them. */
export function parseClouds(parsed: unknown, secrets: unknown, path: string): ReadonlyMap<string, CloudSettings> {
  const clouds = mapping(mapping(parsed).clouds)
  const secure = mapping(mapping(secrets).clouds)
  return new Map(Object.keys(clouds).map((name) => [name, toSettings(mergeDeep(mapping(clouds[name]), mapping(secure[name])), name, path)]))
}

function toSettings(cloud: Mapping, name: string, path: string): CloudSettings {
  if (cloud.profile !== undefined) {
    throw new PilothouseError(
      "CREDENTIALS",
      `expected cloud ${name} of ${path} with its own auth_url, found the profile ${String(cloud.profile)}; write out what it says`,
    )
  }
  // openstacksdk reads what stands beside "auth" too: an indent that was forgotten.
  const beside = Object.entries(cloud).filter(([key]) => loginOptions.includes(key))
  const auth = Object.entries({ ...Object.fromEntries(beside), ...mapping(cloud.auth) }).map(([key, value]) => [
    key,
    value === undefined || value === null ? undefined : String(value),
  ])
  const region = text(cloud.region_name) ?? firstRegion(cloud.regions)
  return {
    auth: Object.fromEntries(auth),
    auth_type: text(cloud.auth_type),
    region_name: region,
    interface: text(cloud.interface) ?? text(cloud.endpoint_type),
    cacert: text(cloud.cacert),
    ...(cloud.verify === false || cloud.insecure === true ? { verify: false } : {}),
    endpoints: endpointOverrides(cloud),
    from: `cloud ${name} of ${path}`,
  }
}

/** regions: [A, B] or [{ name: A }]. */
function firstRegion(regions: unknown): string | undefined {
  const first: unknown = Array.isArray(regions) ? regions[0] : undefined
  return text(first) ?? text(mapping(first).name)
}

function mergeDeep(below: Mapping, above: Mapping): Mapping {
  return { ...below, ...above, auth: { ...mapping(below.auth), ...mapping(above.auth) } }
}

function mapping(value: unknown): Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Mapping) : {}
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined
}
