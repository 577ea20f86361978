import { type FieldError, fieldError } from "@pilothouse/api"

export const levels = ["privileged", "baseline", "restricted"] as const

/** A Pod Security Standard: each is stricter than the one before. */
export type Level = (typeof levels)[number]

/** A standard as of a version: "latest", or "v1.N". */
export interface LevelVersion {
  readonly level: Level
  readonly version: string
}

export const modes = ["enforce", "audit", "warn"] as const

export type Mode = (typeof modes)[number]

/** What a namespace enforces, and what it reports. */
export type Policy = Readonly<Record<Mode, LevelVersion>>

const labelPrefix = "pod-security.kubernetes.io/"
export const latest = "latest"

/** The policy of a namespace without labels, where no configuration says otherwise. */
export const privilegedPolicy: Policy = {
  enforce: { level: "privileged", version: latest },
  audit: { level: "privileged", version: latest },
  warn: { level: "privileged", version: latest },
}

interface ModeLabels {
  readonly level: string
  readonly version: string
}

/** Put together once: every pod that is created reads all of them. */
const labelsByMode: Readonly<Record<Mode, ModeLabels>> = {
  enforce: { level: `${labelPrefix}enforce`, version: `${labelPrefix}enforce-version` },
  audit: { level: `${labelPrefix}audit`, version: `${labelPrefix}audit-version` },
  warn: { level: `${labelPrefix}warn`, version: `${labelPrefix}warn-version` },
}

/** The labels of a mode: "pod-security.kubernetes.io/warn", and the same with "-version". */
export function labelsOf(mode: Mode): ModeLabels {
  return labelsByMode[mode]
}

export function formatPolicy({ level, version }: LevelVersion): string {
  return `${level}:${version}`
}

export function samePolicy(one: LevelVersion, other: LevelVersion): boolean {
  return one.level === other.level && one.version === other.version
}

export function isPrivileged(policy: Policy): boolean {
  return modes.every((mode) => policy[mode].level === "privileged")
}

/** Reports whether a level forbids more than another. */
export function isStricter(level: Level, than: Level): boolean {
  return levels.indexOf(level) > levels.indexOf(than)
}

export function parseLevel(text: string): Level | undefined {
  return levels.find((level) => level === text)
}

export const levelFault = `must be one of ${levels.join(", ")}`
export const versionFault = `must be "latest" or "v1.x"`

const maxMinor = 2n ** 63n - 1n

export function isVersion(text: string): boolean {
  return text === latest || (/^v1\.(?:0|[1-9][0-9]{0,18})$/.test(text) && BigInt(text.slice("v1.".length)) <= maxMinor)
}

export interface ParsedPolicy {
  readonly policy: Policy
  /** What is wrong with the labels: their policy is the strictest then for what is enforced, and none for what is reported. */
  readonly errors: readonly FieldError[]
}

const noErrors: readonly FieldError[] = []

/** Returns the policy that labels of a namespace declare, with defaults for what they leave out. */
export function policyOf(labels: Readonly<Record<string, string>> | undefined, defaults: Policy): ParsedPolicy {
  if (labels === undefined || !modes.some((mode) => hasLabels(labels, mode))) return { policy: defaults, errors: noErrors }
  const errors: FieldError[] = []
  const enforce = parseMode(labels, "enforce", defaults, errors)
  const audit = parseMode(labels, "audit", defaults, errors)
  const warn = parseMode(labels, "warn", defaults, errors)
  return { policy: { enforce, audit, warn: warnAs(labels, enforce, warn) }, errors }
}

function hasLabels(labels: Readonly<Record<string, string>>, mode: Mode): boolean {
  const { level, version } = labelsOf(mode)
  return labels[level] !== undefined || labels[version] !== undefined
}

function parseMode(labels: Readonly<Record<string, string>>, mode: Mode, defaults: Policy, errors: FieldError[]): LevelVersion {
  const names = labelsOf(mode)
  const [level, version] = [labels[names.level], labels[names.version]]
  const found = { ...defaults[mode] }
  const fault = (label: string, value: string, why: string) => errors.push(fieldError.invalid(`metadata.labels[${label}]`, value, why))
  if (level !== undefined) {
    found.level = parseLevel(level) ?? (mode === "enforce" ? "restricted" : "privileged")
    if (parseLevel(level) === undefined) fault(names.level, level, levelFault)
  }
  if (version !== undefined) {
    found.version = isVersion(version) ? version : latest
    if (!isVersion(version)) fault(names.version, version, versionFault)
  }
  return found
}

/** A namespace that declares what it enforces, and not what it warns of, warns of that in templates. */
function warnAs(labels: Readonly<Record<string, string>>, enforce: LevelVersion, warn: LevelVersion): LevelVersion {
  const declared = labels[labelsOf("enforce").level]
  if (labels[labelsOf("warn").level] !== undefined || declared === undefined || parseLevel(declared) === undefined) return warn
  if (!isStricter(enforce.level, warn.level)) return warn
  return { level: enforce.level, version: labels[labelsOf("warn").version] === undefined ? enforce.version : warn.version }
}

/** What a configuration says of Pod Security. */
export interface PodSecurityConfiguration {
  /** The policy of what labels of a namespace leave out. */
  readonly defaults: Policy
  readonly exemptions: {
    readonly usernames: readonly string[]
    readonly namespaces: readonly string[]
    readonly runtimeClasses: readonly string[]
  }
}

export const defaultPodSecurity: PodSecurityConfiguration = {
  defaults: privilegedPolicy,
  exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
}
