import { PilothouseError } from "@pilothouse/seams"
import type { Controller } from "../controller/controller.ts"
import type { Flags, Settings } from "./flag.ts"

/** Values of flags by name. Missing ones have their default. */
export type GivenSettings = Readonly<Record<string, unknown>>

/** Underscores in flag names are dashes, as upstream: its reference has "concurrent_rc_syncs". */
export function flagName(given: string): string {
  return given.replaceAll("_", "-")
}

/** Returns the values under normalized flag names. */
export function byFlagName(given: GivenSettings): GivenSettings {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [flagName(name), value]))
}

/** One line of a table of controllers. `Needs` is what the controllers of that table need from the program, besides the API server. */
export interface ControllerDescriptor<Needs> {
  /** Upstream's name, as in --controllers. */
  readonly name: string
  /** Upstream's older, shorter names for it. */
  readonly aliases: readonly string[]
  /** Whether `--controllers=*` includes this one. */
  readonly onByDefault: boolean
  readonly flags: Flags
  /** What it requires; it is left out where one of them is missing. */
  readonly needs: readonly (keyof Needs)[]
  create(given: GivenSettings, needs: Needs): readonly Controller[]
}

/** Options of a controller descriptor. */
export interface ControllerDescriptorOptions<F extends Flags, Needs> {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly onByDefault?: boolean
  readonly flags?: F
  readonly needs?: readonly (keyof Needs)[]
  create(settings: Settings<F>, needs: Needs): Controller | readonly Controller[]
}

/** Creates a controller descriptor with the types of its flags. */
export function controllerDescriptor<F extends Flags, Needs>(given: ControllerDescriptorOptions<F, Needs>): ControllerDescriptor<Needs> {
  const { name, aliases = [], onByDefault = true, flags, needs = [], create } = given
  const known = flags ?? ({} as F)
  return {
    name,
    aliases,
    onByDefault,
    flags: known,
    needs,
    create: (settings, handed) => [create(settingsOf(known, settings), handed)].flat(),
  }
}

/** Finds the controller of a value of --controllers, with or without a leading "-": by its name, with or without "-controller", or by an alias. */
export function findControllerDescriptor<Entry extends Pick<ControllerDescriptor<never>, "name" | "aliases">>(
  table: readonly Entry[],
  word: string,
): Entry | undefined {
  const name = word.replace(/^-/, "")
  return table.find((entry) => entry.name === name || entry.aliases.includes(name) || entry.name === `${name}-controller`)
}

function settingsOf<F extends Flags>(flags: F, given: GivenSettings): Settings<F> {
  const values = Object.entries(flags).map(([name, flag]) => [name, name in given ? parsed(name, flag, given[name]) : flag.default])
  return Object.fromEntries(values) as Settings<F>
}

function parsed(name: string, flag: Flags[string], value: unknown): unknown {
  try {
    return flag.parse(value)
  } catch (cause) {
    throw new PilothouseError("INVALID", `--${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}
