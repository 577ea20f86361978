import { PilothouseError } from "@pilothouse/seams"
import type { Controller } from "../controller/controller.ts"
import type { Flags, Settings } from "./flag.ts"

/** Values of flags by their names. What is left out has its default. */
export type GivenSettings = Readonly<Record<string, unknown>>

/** Underscores in the names of flags are dashes, as upstream: its own reference says "concurrent_rc_syncs". */
export function flagName(given: string): string {
  return given.replaceAll("_", "-")
}

/** Each value under its flag's name. */
export function byFlagName(given: GivenSettings): GivenSettings {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [flagName(name), value]))
}

/** One line of a table of loops. `Needs` is what the loops of that table need from whoever starts them, besides the API server. */
export interface ControllerDescriptor<Needs> {
  /** Upstream's name, as in --controllers. */
  readonly name: string
  /** Upstream's older, shorter names for it. */
  readonly aliases: readonly string[]
  /** Whether `--controllers=*` means this one too. */
  readonly onByDefault: boolean
  readonly flags: Flags
  /** What it cannot do without; it is left out where one of them is missing. */
  readonly needs: readonly (keyof Needs)[]
  create(given: GivenSettings, needs: Needs): readonly Controller[]
}

/** What is known of a loop before it is made. */
export interface ControllerDescriptorOptions<F extends Flags, Needs> {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly onByDefault?: boolean
  readonly flags?: F
  readonly needs?: readonly (keyof Needs)[]
  create(settings: Settings<F>, needs: Needs): Controller | readonly Controller[]
}

/** A loop for the table of loops, with the types of its flags. */
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

/** The loop of a table that a word of --controllers is about, be it wanted or not: by its name, with or without "-controller", or by an alias. */
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
