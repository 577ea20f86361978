import { deepEqual, type FieldError, fieldError, formatTime, parseTime, utf8Length } from "@pilothouse/api"
import type { PodCertificateRequest, PodCertificateRequestSpec, PodCertificateRequestStatus } from "@pilothouse/api/certificates/v1beta1"
import { type Certificate, parseCertificate, pemBlocks } from "@pilothouse/api/x509"
import { conditionErrors } from "../conditions.ts"
import { requestedKey } from "./pod-certificate-request.ts"
import { isSameKey, parsePublicKey } from "./public-key.ts"

type Status = PodCertificateRequestStatus

const outcomes: readonly string[] = ["Issued", "Denied", "Failed"]
const chainField = "status.certificateChain"
const largestChain = 100 * 1024
const minute = 60_000
const hour = 60 * minute

/**
 * Returns what is wrong with a new status. A request is issued, denied or failed once; a certificate is for the key that was requested, begins now and
 * lasts no longer than the request allows.
 */
export function statusUpdateErrors(request: PodCertificateRequest, old: PodCertificateRequest, now: number): readonly FieldError[] {
  const [status, before] = [request.status ?? {}, old.status ?? {}]
  const wrong = outcomeErrors(status)
  if (wrong.length > 0) return wrong
  const said = (text: string) => fieldError.invalidWithoutValue("status", text)
  if (outcomeOf(before) !== undefined) {
    return sameStatus(status, before) ? [] : [said("immutable after PodCertificateRequest is issued, denied, or failed")]
  }
  const outcome = outcomeOf(status)
  if (outcome === "Issued") return issuedErrors(status, old.spec, now)
  if (outcome !== undefined) {
    const isAlone = sameStatus(status, { conditions: status.conditions ?? [] })
    return isAlone ? [] : [said("non-condition status fields must be empty when denying or failing the PodCertificateRequest")]
  }
  return sameStatus(status, before) ? [] : [said('status is immutable unless transitioning to "Issued", "Denied", or "Failed"')]
}

/** The condition that ends a request; validation lets it have one at most. */
function outcomeOf({ conditions = [] }: Status): string | undefined {
  return conditions.find(({ type, status }) => outcomes.includes(type) && status === "True")?.type
}

function outcomeErrors({ conditions = [] }: Status): readonly FieldError[] {
  const first = conditions.findIndex(({ type }) => outcomes.includes(type))
  const own = conditions.flatMap(({ type, status }, index) => {
    // Upstream writes the index as if it were a name.
    const field = `status.conditions.[${index}]`
    if (!outcomes.includes(type)) return [fieldError.notSupported(`${field}.type`, type, ["Issued", "Denied", "Failed"])]
    const text = 'There may be at most one condition with type "Issued", "Denied", or "Failed"'
    return [
      ...(index === first ? [] : [fieldError.invalid(`${field}.type`, type, text)]),
      ...(status === "True" ? [] : [fieldError.notSupported(`${field}.status`, status, ["True"])]),
    ]
  })
  return [...own, ...conditionErrors(conditions, "status.conditions")]
}

/** Empty and absent fields are the same. */
function sameStatus(one: Status, other: Status): boolean {
  const [left, right] = [one, other].map(({ conditions = [], certificateChain = "", notBefore, notAfter, beginRefreshAt }) => [
    conditions,
    certificateChain,
    notBefore ?? "",
    notAfter ?? "",
    beginRefreshAt ?? "",
  ])
  return deepEqual(left, right)
}

function issuedErrors(status: Status, spec: PodCertificateRequestSpec, now: number): readonly FieldError[] {
  const { certificateChain: chain = "" } = status
  if (utf8Length(chain) > largestChain) return [fieldError.tooLong(chainField, largestChain)]
  const { blocks } = pemBlocks(chain)
  const wrong = (text: string) => [fieldError.invalid(chainField, chain, text)]
  const [leaf, ...others] = blocks
  if (leaf === undefined) return wrong("issued certificate chain must contain at least one certificate")
  if (leaf.type !== "CERTIFICATE") return wrong("issued certificate chain must consist entirely of CERTIFICATE PEM blocks")
  const certificate = parsed(leaf.bytes)
  if (certificate === undefined) return wrong("leaf certificate does not parse as valid X.509")
  const names = nameErrors(certificate)
  const key = requestedKey(spec)
  if ("field" in key) return [...names, key]
  if (key.kind !== "other" && !isSameKey(parsePublicKey(certificate.publicKey), key)) {
    return [...names, ...wrong("leaf certificate was not issued to the requested public key")]
  }
  const timed = [...names, ...missingTimes(status)]
  if (timed.length > 0) return timed
  const lifetime = timeErrors(status as Required<Status>, certificate, spec, now)
  if (lifetime.length > 0) return lifetime
  const intruder = others.findIndex(({ type, bytes }) => type !== "CERTIFICATE" || parsed(bytes) === undefined)
  if (intruder < 0) return []
  return others[intruder]!.type === "CERTIFICATE"
    ? wrong("intermediate certificate does not parse as valid X.509")
    : wrong("issued certificate chain must consist entirely of CERTFICATE PEM blocks")
}

function parsed(der: Uint8Array): Certificate | undefined {
  try {
    return parseCertificate(der)
  } catch {
    // A signer may write anything.
    return undefined
  }
}

/** An address as mail has it, "a@example.com": one "@", with no spaces and no empty labels around it. */
const emailAddress =
  /^(?:"[^"\n]+"|[^\s@"(),:;<>[\]\\.]+(?:\.[^\s@"(),:;<>[\]\\.]+)*)@(?:\[[^\s\]]+\]|[^\s@"(),:;<>[\]\\.]+(?:\.[^\s@"(),:;<>[\]\\.]+)*)$/

function nameErrors({ names }: Certificate): readonly FieldError[] {
  const wrong = (name: string, text: string) => fieldError.invalid(chainField, name, text)
  const dns = names.dns.flatMap((name) => [
    ...(name === "" ? [wrong(name, "leaf certificate should not contain empty DNSName")] : []),
    ...(name.includes("..") ? [wrong(name, "leaf certificate's DNSName should not contain '..'")] : []),
    ...(/^\.|\.$/.test(name) ? [wrong(name, "leaf certificate's DNSName should not start or end with '.'")] : []),
  ])
  const email = names.email
    .filter((address) => !emailAddress.test(address))
    .map((address) => wrong(address, "leaf certificate should not contain invalid EmailAddress"))
  return [...dns, ...email]
}

function missingTimes({ notBefore, notAfter, beginRefreshAt }: Status): readonly FieldError[] {
  const required = (name: string, value: string | undefined, text: string) =>
    value === undefined ? [fieldError.required(`status.${name}`, text)] : []
  const consistent = "must be present and consistent with the issued certificate"
  return [
    ...required("notBefore", notBefore, consistent),
    ...required("notAfter", notAfter, consistent),
    ...required("beginRefreshAt", beginRefreshAt, "must be present and in the range [notbefore+10min, notafter-10min]"),
  ]
}

/** The first thing that is wrong with the times of a status and its certificate. */
function timeErrors(
  status: Required<Status>,
  certificate: Certificate,
  { maxExpirationSeconds: max = 0 }: PodCertificateRequestSpec,
  now: number,
): readonly FieldError[] {
  const [begin, end, refresh] = [status.notBefore, status.notAfter, status.beginRefreshAt].map(parseTime) as [number, number, number]
  const lifetime = certificate.notAfter - certificate.notBefore
  // Go writes durations in nanoseconds.
  const chain = (text: string) => fieldError.invalid(chainField, BigInt(lifetime) * 1_000_000n, text)
  const at = (name: string, time: number, text: string) => fieldError.invalid(`status.${name}`, formatTime(time), text)
  if (begin !== certificate.notBefore) return [at("notBefore", begin, "must be set to the NotBefore time encoded in the leaf certificate")]
  if (Math.abs(begin - now) >= 5 * minute) {
    return [at("notBefore", begin, "must be set to within 5 minutes of kube-apiserver's current time")]
  }
  if (end !== certificate.notAfter) return [at("notAfter", end, "must be set to the NotAfter time encoded in the leaf certificate")]
  if (lifetime < hour) return [chain("leaf certificate lifetime must be >= 1 hour")]
  if (lifetime > max * 1000) return [chain(`leaf certificate lifetime must be <= spec.maxExpirationSeconds (${max})`)]
  if (refresh < begin + 10 * minute) return [at("beginRefreshAt", refresh, "must be at least 10 minutes after status.notBefore")]
  if (refresh > end - 10 * minute) return [at("beginRefreshAt", refresh, "must be at least 10 minutes before status.notAfter")]
  return []
}
