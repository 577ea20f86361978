import { closest, type Files, PilothouseError, readText } from "@pilothouse/seams"
import type { CloudAccess } from "../clients/calls/keystone.ts"
import { loginOptions } from "../configuration/login-options.ts"
import { toCloudAccess } from "./cloud-access.ts"
import { type Environment, endpointOverrides, environmentCloud } from "./environment.ts"
import type { CloudSettings } from "./settings.ts"

/** Where a cloud is searched for: nothing else of the process is read. */
export interface FindCloudOptions {
  readonly files: Files
  readonly environment: Environment
  /** The working directory: a clouds.yaml there comes first. */
  readonly directory: string
  /** Parses YAML. Its errors show nothing of the text, which has passwords in it. */
  parseYaml(text: string, path: string): unknown
  /** Wins over OS_CLOUD. */
  readonly cloud?: string
}

/** Finds the cloud and its credentials, in the order in which openstacksdk looks. */
export function findCloud(options: FindCloudOptions): CloudAccess {
  const { environment } = options
  const { path, clouds: listed } = cloudsInFile(options)
  const clouds = new Map(listed)
  const own = environmentCloud(environment)
  if (own !== undefined) clouds.set(environment.OS_CLOUD_NAME || "envvars", own)
  const name = options.cloud || environment.OS_CLOUD || (own === undefined ? onlyCloud(clouds) : "envvars")
  const found = name === undefined ? undefined : clouds.get(name)
  if (found !== undefined) return toCloudAccess(found)
  const requested = name === undefined ? "one cloud" : `cloud ${name}`
  const named = environment.OS_CLIENT_CONFIG_FILE
  const missingFile = named && named !== path ? ` (OS_CLIENT_CONFIG_FILE says ${named}, which is not there)` : ""
  throw new PilothouseError("CREDENTIALS", `expected ${requested}, found ${instead(name, [...clouds.keys()], path)}${missingFile}`)
}

/** What is there, and what to do about it. */
function instead(name: string | undefined, known: readonly string[], path: string | undefined): string {
  if (known.length > 0) {
    const meant = name === undefined ? undefined : closest(name, known)
    const where = path === undefined ? "" : ` (${path})`
    const suggestion = meant === undefined ? "" : `; did you mean ${meant}?`
    const those =
      known.length === 1
        ? `only the cloud ${known[0]}; set OS_CLOUD or --os-cloud to it`
        : `the clouds ${known.join(", ")}; set OS_CLOUD or --os-cloud to one of them`
    return `${those}${where}${suggestion}`
  }
  if (path !== undefined) return `no clouds in ${path}; it has them below "clouds:", each with its "auth:"`
  return "no clouds.yaml and no OS_AUTH_URL; source an openrc file, or put a clouds.yaml here, into ~/.config/openstack or /etc/openstack (OS_CLIENT_CONFIG_FILE names one elsewhere)"
}

interface Found {
  /** Of the clouds.yaml, where there is one. */
  readonly path?: string
  readonly clouds: ReadonlyMap<string, CloudSettings>
}

function cloudsInFile({ files, environment, directory, parseYaml }: FindCloudOptions): Found {
  const there = (named: string | undefined, base: string) =>
    searchPaths(directory, named, base, environment).find((place) => files.facts(place)?.directory === false)
  const path = there(environment.OS_CLIENT_CONFIG_FILE, "clouds")
  if (path === undefined) return { clouds: new Map() }
  const secure = there(environment.OS_CLIENT_SECURE_FILE, "secure")
  const parse = (at: string | undefined) => (at === undefined ? undefined : parseYaml(readText(files, at) ?? "", at))
  return { path, clouds: parseClouds(parse(path), parse(secure), path) }
}

function searchPaths(
  directory: string,
  named: string | undefined,
  base: string,
  { HOME, XDG_CONFIG_HOME }: Environment,
): readonly string[] {
  const home = XDG_CONFIG_HOME || (HOME ? `${HOME}/.config` : undefined)
  const folders = [directory, ...(home === undefined ? [] : [`${home}/openstack`]), "/etc/openstack"]
  const places = folders.flatMap((folder) => ["yaml", "yml", "json"].map((ending) => `${folder}/${base}.${ending}`))
  return [...(named ? [named] : []), ...places]
}

function onlyCloud(clouds: ReadonlyMap<string, unknown>): string | undefined {
  return clouds.size === 1 ? [...clouds.keys()][0] : undefined
}

type Mapping = Readonly<Record<string, unknown>>

/** The clouds of a clouds.yaml, parsed, with the secrets of a secure.yaml laid over them. */
function parseClouds(parsed: unknown, secrets: unknown, path: string): ReadonlyMap<string, CloudSettings> {
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
