import { closest } from "@pilothouse/seams"
import { cloudOptions, loginOptions } from "../cloud-access/login-options.ts"
import type { Sections } from "./ini.ts"
import { options } from "./options.ts"

/** Sections of which every option is known here. The others have options of libraries, and of kuryr's other programs. */
const wholeSections: readonly string[] = ["neutron_defaults", "pod_vif_nested", "vif_pool"]

/** Those of [neutron] that somebody may misspell. */
const login: readonly string[] = [...loginOptions, ...cloudOptions]

const ourSections: readonly string[] = [...new Set(options.map(({ section }) => section)), "neutron"]

/** What means nothing here, each with what was probably meant: options, and sections whose name is nearly that of one of ours. */
export function unknownIn(sections: Sections): readonly string[] {
  return Object.entries(sections).flatMap(([section, values]) => {
    if (ourSections.includes(section)) return Object.keys(values).flatMap((name) => unknownOption(section, name))
    const meant = closest(section, ourSections)
    return meant === undefined ? [] : [`[${section}]; did you mean [${meant}]?`]
  })
}

function unknownOption(section: string, name: string): readonly string[] {
  const known = section === "neutron" ? login : options.filter((one) => one.section === section).map((one) => one.name)
  if (known.includes(name)) return []
  const meant = closest(name, known)
  if (meant !== undefined) return [`[${section}] ${name}; did you mean ${meant}?`]
  const home = wholeSections.includes(section) ? options.find((one) => one.name === name)?.section : undefined
  if (home !== undefined) return [`[${section}] ${name}; it belongs into [${home}]`]
  return wholeSections.includes(section) ? [`[${section}] ${name}`] : []
}
