interface ParsedVersion {
  readonly major: number
  /** 3 for a stable version, 2 for beta, 1 for alpha. */
  readonly stability: number
  readonly minor: number
}

/** Kubernetes' order of versions, the preferred first: v2, v1, v2beta2, v2beta1, v1alpha1; what is none of these comes last, by name. */
export function compareVersions(a: string, b: string): number {
  const left = parse(a)
  const right = parse(b)
  if (!left || !right) return Number(!left) - Number(!right) || (a < b ? -1 : Number(a > b))
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor
}

const stabilities: Readonly<Record<string, number>> = { alpha: 1, beta: 2 }

function parse(version: string): ParsedVersion | undefined {
  const match = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version)
  if (!match) return undefined
  const [, major, stability, minor = "0"] = match
  return { major: Number(major), stability: stability === undefined ? 3 : stabilities[stability]!, minor: Number(minor) }
}
