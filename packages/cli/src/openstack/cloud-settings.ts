import {
  type CloudAccess,
  cloudOfKuryrConf,
  findCloud,
  type KuryrConfiguration,
  kuryrConfiguration,
  parseKuryrConf,
} from "@pilothouse/openstack"
import { type Files, PilothouseError, readText } from "@pilothouse/seams"
import { parseCredentials } from "../parse-credentials.ts"

/** What was asked for on the command line; empty is nothing. */
export interface CloudChoice {
  /** A kuryr.conf, or a YAML file with the same sections as keys. */
  readonly configFile: string
  /** A name in clouds.yaml. */
  readonly cloud: string
}

export interface CloudPlace {
  readonly files: Files
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly directory: string
}

export interface CloudSettings {
  readonly configuration: KuryrConfiguration
  readonly access: CloudAccess
}

/** How to work and where: everything that is missing, of the options and of the credentials, is named at once. */
export function cloudSettings(choice: CloudChoice, place: CloudPlace): CloudSettings {
  const sections = choice.configFile === "" ? {} : sectionsIn(choice.configFile, place.files)
  const configuration = attempt(() => kuryrConfiguration(sections))
  const access = attempt(() => accessFor(choice, place, sections))
  const wrong = [configuration, access].flatMap((one) => ("wrong" in one ? [one.wrong] : []))
  if ("value" in configuration && "value" in access) return { configuration: configuration.value, access: access.value }
  const where = choice.configFile === "" ? "--config-file names a kuryr.conf, or a YAML file with its sections" : choice.configFile
  throw new PilothouseError("USAGE", `${wrong.join("\n")}\n(${where})`)
}

type Sections = Parameters<typeof kuryrConfiguration>[0]

/** The credentials alone, for commands that can do without the rest. A cloud that is named wins, then the file's own, then clouds.yaml and OS_*. */
export function accessFor(choice: CloudChoice, place: CloudPlace, sections: Sections): CloudAccess {
  const own = choice.cloud === "" ? cloudOfKuryrConf(sections as never) : undefined
  return own ?? findCloud({ ...place, parseYaml: parseCredentials, cloud: choice.cloud || undefined })
}

export function sectionsIn(path: string, files: Files): Sections {
  const text = readText(files, path)
  if (text === undefined) throw new PilothouseError("USAGE", `expected a kuryr.conf at ${path}, found no such file`)
  return /\.(ya?ml|json)$/.test(path) ? ((parseCredentials(text, path) ?? {}) as Sections) : parseKuryrConf(text, path)
}

function attempt<T>(work: () => T): { readonly value: T } | { readonly wrong: string } {
  try {
    return { value: work() }
  } catch (error) {
    if (error instanceof PilothouseError) return { wrong: error.message }
    throw error
  }
}
