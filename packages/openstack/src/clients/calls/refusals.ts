import { type Answer, readMember, readText } from "./answer.ts"
import type { OpenStackService, Refusal, RefusalKind } from "./errors.ts"

/** Returns the refusal that an unsuccessful response means. */
export type ParseRefusal = (answer: Answer, call: string) => Refusal

type Rule = readonly [pattern: RegExp, kind: RefusalKind]

/** By the type of a NeutronError, first match wins. neutron-lbaas has types of its own: StateInvalid came as 500 in old releases. */
const neutronTypes: readonly Rule[] = [
  [/^StateInvalid$/, "busy"],
  [/^OverQuota$|^QuotaExceeded/, "quota"],
  [/^RevisionNumberConstraintFailed$/, "stale"],
  [/^IpAddressAlreadyAllocated$|^IpAddressInUse$|^FixedIPNotAvailable$/, "address-taken"],
  [/^IpAddressGenerationFailure|^NoMoreIps$|^ExternalIpAddressExhausted$|^NoFixedIPsForPort/, "no-address-left"],
  [/^DuplicateSubPort$|Exists$|^MacAddressInUse$|^Duplicate|AlreadyExists/, "duplicate"],
  [/InUse/, "in-use"],
  [/NotFound$|^SubPortNotFound$/, "not-found"],
]

/** By Octavia's message, which is all that it gives. */
const octaviaTexts: Readonly<Record<number, readonly Rule[]>> = {
  400: [
    // What is below it goes in its own time: the same delete succeeds later.
    [/has children/, "busy"],
    [/\bnot found\b/i, "not-found"],
  ],
  403: [[/quota/i, "quota"]],
  409: [
    [/immutable|invalid state/i, "busy"],
    [/already (using|has|exists)|^another |duplicate/i, "duplicate"],
    [/in use/i, "in-use"],
  ],
  500: [
    [/already allocated|already in use/i, "address-taken"],
    [/not a valid IP/i, "invalid"],
    [/No more IP addresses|IpAddressGenerationFailure/i, "no-address-left"],
    [/quota/i, "quota"],
  ],
}

const statuses: Readonly<Record<number, RefusalKind>> = {
  400: "invalid",
  401: "unauthorized",
  403: "forbidden",
  404: "not-found",
  409: "conflict",
  412: "stale",
  429: "unavailable",
  501: "unsupported",
}

/** On some clouds Octavia answers at the paths of neutron-lbaas, with its own messages. */
export const neutronRefusal: ParseRefusal = (answer, call) => {
  if (readText(answer.value, "faultstring") !== "") return octaviaRefusal(answer, call)
  const error = readMember(answer.value, "NeutronError")
  const type = readText(error, "type")
  const found = neutronTypes.find(([pattern]) => pattern.test(type))?.[1]
  return refusal("neutron", { answer, call, type, text: readText(error, "message") || errorText(answer) }, found)
}

export const octaviaRefusal: ParseRefusal = (answer, call) => {
  const text = readText(answer.value, "faultstring") || errorText(answer)
  const found = octaviaTexts[answer.status]?.find(([pattern]) => pattern.test(text))?.[1]
  return refusal("octavia", { answer, call, type: "", text }, found)
}

export const novaRefusal: ParseRefusal = (answer, call) =>
  refusal("nova", { answer, call, type: "", text: novaMessage(answer.value) || errorText(answer) }, undefined)

/** The message of an error of Nova: `{ "itemNotFound": { "code": 404, "message": … } }`. */
function novaMessage(value: unknown): string {
  const [error] = typeof value === "object" && value !== null ? Object.values(value) : []
  return readText(error, "message")
}

/** What Keystone answers to a refused login. Any other response comes from another server, or an older Keystone. */
const keystoneRefuses = (status: number): boolean => status >= 500 || [400, 401, 403, 413, 429].includes(status)

export const keystoneRefusal: ParseRefusal = (answer, call) => {
  const text = keystoneRefuses(answer.status)
    ? errorText(answer)
    : [serviceMessage(answer), notKeystone].filter((one) => one !== "").join("; ")
  return refusal("keystone", { answer, call, type: "", text }, undefined)
}

const notKeystone =
  "auth_url probably does not lead to a Keystone v3; your openrc or clouds.yaml has the right one, with /v3 at its end or without"

interface Words {
  readonly answer: Answer
  readonly call: string
  readonly type: string
  readonly text: string
}

function refusal(service: OpenStackService, { answer, call, type, text }: Words, found: RefusalKind | undefined): Refusal {
  const { status } = answer
  return { service, kind: found ?? statuses[status] ?? (status >= 500 ? "unavailable" : "invalid"), status, type, call, text }
}

function errorText(answer: Answer): string {
  return serviceMessage(answer) || "no words"
}

/** Every service answers 401 as Keystone does; a gateway answers with text or with nothing. */
function serviceMessage({ value, text }: Answer): string {
  const own =
    readText(readMember(value, "error"), "message") || readText(value, "message") || readText(value, "NeutronError") || text.trim()
  const plain = htmlTitle(own) ?? own
  return plain.length > 300 ? `${plain.slice(0, 300)}…` : plain
}

/** Of a page for browsers the title says it all. */
function htmlTitle(text: string): string | undefined {
  return /<title>([^<]*)<\/title>/i.exec(text)?.[1]?.trim() || undefined
}
