import { type Files, PilothouseError, readText } from "@pilothouse/seams"
import type { CloudAccess } from "../clients/keystone/keystone.ts"
import { accessOf } from "./access-of.ts"
import { cloudsOf } from "./clouds-file.ts"
import { type Environment, environmentCloud } from "./environment.ts"
import type { CloudSettings } from "./settings.ts"

export interface FindCloudOptions {
  readonly files: Files
  readonly environment: Environment
  /** The working directory: a clouds.yaml there comes first. */
  readonly directory: string
  /** Makes a value of YAML text. */
  /** Its errors show nothing of the text, which has passwords in it. */
  parseYaml(text: string, path: string): unknown
  /** Wins over OS_CLOUD. */
  readonly cloud?: string
}

/** Which cloud is meant and how to get into it, found in the order in which openstacksdk looks. */
export function findCloud(options: FindCloudOptions): CloudAccess {
  const { environment } = options
  const clouds = new Map(cloudsInFile(options))
  const own = environmentCloud(environment)
  if (own !== undefined) clouds.set(environment.OS_CLOUD_NAME || "envvars", own)
  const name = options.cloud || environment.OS_CLOUD || (own === undefined ? onlyOf(clouds) : "envvars")
  const found = name === undefined ? undefined : clouds.get(name)
  if (found !== undefined) return accessOf(found)
  const known = clouds.size === 0 ? "no clouds.yaml and no OS_AUTH_URL" : `the clouds ${[...clouds.keys()].join(", ")}`
  throw new PilothouseError(
    "CREDENTIALS",
    `expected ${name === undefined ? "one cloud" : `cloud ${name}`}, found ${known}; set OS_CLOUD or source an openrc file`,
  )
}

function cloudsInFile({ files, environment, directory, parseYaml }: FindCloudOptions): ReadonlyMap<string, CloudSettings> {
  const there = (named: string | undefined, base: string) =>
    placesOf(directory, named, base, environment).find((place) => files.facts(place)?.directory === false)
  const path = there(environment.OS_CLIENT_CONFIG_FILE, "clouds")
  if (path === undefined) return new Map()
  const secure = there(environment.OS_CLIENT_SECURE_FILE, "secure")
  const parse = (at: string | undefined) => (at === undefined ? undefined : parseYaml(readText(files, at) ?? "", at))
  return cloudsOf(parse(path), parse(secure), path)
}

function placesOf(directory: string, named: string | undefined, base: string, { HOME, XDG_CONFIG_HOME }: Environment): readonly string[] {
  const home = XDG_CONFIG_HOME || (HOME ? `${HOME}/.config` : undefined)
  const folders = [directory, ...(home === undefined ? [] : [`${home}/openstack`]), "/etc/openstack"]
  const places = folders.flatMap((folder) => ["yaml", "yml", "json"].map((ending) => `${folder}/${base}.${ending}`))
  return [...(named ? [named] : []), ...places]
}

function onlyOf(clouds: ReadonlyMap<string, unknown>): string | undefined {
  return clouds.size === 1 ? [...clouds.keys()][0] : undefined
}
