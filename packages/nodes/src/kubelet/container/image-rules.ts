import { parseTime } from "@pilothouse/api"
import type { Container, Pod } from "@pilothouse/api/core/v1"
import { annotation } from "../behaviour/behaviour.ts"
import type { ContainerRule, ContainerView } from "./container-rules.ts"
import { normal, warning } from "./kubelet-event.ts"
import { restartAt } from "./restart.ts"
import { fresh, isToStartAgain, waitsFor, waitsWith } from "./waiting-container.ts"

const host = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
const part = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
const domainForm = new RegExp(`^(?:${host}(?:\\.${host})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`)
const pathForm = new RegExp(`^${part}(?:/${part})*$`)
const tagForm = /^\w[\w.-]*$/
const maxTag = 128
const digestForm = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:([0-9A-Fa-f]+)$/
const minDigest = 32

/** Of the path, without its registry. */
const maxPath = 255

const firstWait = 10_000
const maxWait = 300_000

/**
 * The pull that was due last and the one that is due next, of an image that cannot be pulled: 10 s after the first one, then 20 s, 40 s …
 * up to 5 min after the one before. After the first at 0: 10 s, 30 s, 70 s, 150 s, 310 s, 610 s, 910 s.
 */
export function pullsAround(first: number, now: number): { readonly last: number; readonly next: number } {
  let last = first
  let wait = firstWait
  while (last + wait <= now && wait < maxWait) {
    last += wait
    wait = Math.min(wait * 2, maxWait)
  }
  last += Math.floor(Math.max(now - last, 0) / wait) * wait
  return { last, next: last + wait }
}

/** Milliseconds for which a pull that failed is shown as such: until a kubelet looks at the pod again. */
const failureShown = 2000

const notPulled: ReadonlySet<string> = new Set(["ErrImagePull", "ImagePullBackOff"])
const failed: ReadonlySet<string> = new Set(["ErrImagePull"])
const backedOff: ReadonlySet<string> = new Set(["ImagePullBackOff"])

/** The reasons of containers that wait for an image, except for a name that cannot be parsed. */
const unnamed: ReadonlySet<string> = new Set([...fresh, ...notPulled])
const misnamed: ReadonlySet<string> = new Set(["InvalidImageName"])

/** What happens to a container whose image is not there. */
export const imageRules: readonly ContainerRule[] = [
  {
    reason: "the name of its image cannot be read",
    at: (view) => (imageNameFault(view.container.image ?? "") === undefined ? undefined : imageNeededAt(view, unnamed)),
    happens: (view) => {
      const message = imageNameFault(view.container.image ?? "") ?? ""
      const events = [warning("InspectFailed", message), warning("Failed", "Error: InvalidImageName")]
      return { status: waitsWith(view, "InvalidImageName", message), events }
    },
  },
  {
    reason: "the name of its image can be read now",
    at: (view, now) => (waitsFor(view, misnamed) && imageNameFault(view.container.image ?? "") === undefined ? now : undefined),
    happens: (view) => ({ status: waitsWith(view, "ContainerCreating") }),
  },
  {
    reason: "its image cannot be pulled",
    at: (view, now) => (fault(view) === undefined ? undefined : (imageNeededAt(view, fresh) ?? pulledAgainAt(view, now))),
    happens: (view) => {
      const { image = "" } = view.container
      const message = fault(view) ?? ""
      const said = [normal("Pulling", `Pulling image "${image}"`), warning("Failed", `Failed to pull image "${image}": ${message}`)]
      return { status: waitsWith(view, "ErrImagePull", message), events: [...said, warning("Failed", "Error: ErrImagePull")] }
    },
  },
  {
    reason: "its image is pulled again later",
    at: (view, now) =>
      waitsFor(view, failed) && fault(view) !== undefined ? pullsAround(firstPull(view), now).last + failureShown : undefined,
    happens: (view) => {
      const said = `Back-off pulling image "${view.container.image}"`
      const status = waitsWith(view, "ImagePullBackOff", `${said}: ErrImagePull: ${fault(view)}`)
      return { status, events: [normal("BackOff", said), warning("Failed", "Error: ImagePullBackOff")] }
    },
  },
  {
    reason: "its image can be pulled now",
    at: (view, now) => (waitsFor(view, notPulled) && fault(view) === undefined ? now : undefined),
    happens: (view) => ({ status: waitsWith(view, "ContainerCreating") }),
  },
]

/** When it needs its image: at its first start, and where it is to start again with another one. */
function imageNeededAt(view: ContainerView, reasons: ReadonlySet<string>): number | undefined {
  const { pod, container, status, mayStartAt } = view
  if (waitsFor(view, reasons)) return mayStartAt
  return isToStartAgain(pod, container, status) && isAnother(view) ? restartAt(status, container) : undefined
}

/** Another image is pulled at once, one that failed after a while. A pull that was missed, because the node was not reconciled, is skipped. */
function pulledAgainAt(view: ContainerView, now: number): number | undefined {
  if (waitsFor(view, notPulled) && isAnother(view)) return now
  if (!waitsFor(view, backedOff)) return undefined
  const { last, next } = pullsAround(firstPull(view), now)
  return now < last + failureShown ? last : next
}

/** When its image was first needed: the status does not say when it was pulled last, but all pulls are counted from this one. */
function firstPull({ status, mayStartAt = 0 }: ContainerView): number {
  const ended = status.lastState?.terminated?.finishedAt
  return ended === undefined ? mayStartAt : Math.max(mayStartAt, parseTime(ended))
}

function isAnother({ container, status }: ContainerView): boolean {
  return status.image !== (container.image ?? "")
}

function fault({ pod, container }: ContainerView): string | undefined {
  return pullFault(pod, container)
}

/** Returns why the image cannot be pulled, as a container runtime would say it; undefined: it can. */
export function pullFault(pod: Pod, { name, image = "" }: Container): string | undefined {
  const error = annotation(pod, "pull-error", name) ?? String(isKnownBad(image))
  if (error === "false") return undefined
  return error === "true" ? notFound(image) : error
}

/** Names that people choose when they want to see a pull fail: anything with "does-not-exist", and the tag 404. */
function isKnownBad(image: string): boolean {
  return /does-?not-?exist|nonexistent/i.test(image) || image.endsWith(":404")
}

function notFound(image: string): string {
  const whole = fullName(image)
  return `failed to pull and unpack image "${whole}": failed to resolve reference "${whole}": ${whole}: not found`
}

/** "nginx" is docker.io/library/nginx:latest. */
function fullName(image: string): string {
  const [first = "", ...rest] = image.split("/")
  const hasHost = rest.length > 0 && /[.:]|^localhost$/.test(first)
  const path = hasHost ? image : `docker.io/${rest.length === 0 ? "library/" : ""}${image}`
  return /[:@]/.test(path.slice(path.lastIndexOf("/") + 1)) ? path : `${path}:latest`
}

/** Returns why a kubelet cannot parse the name of an image, in its words; undefined: it can. A container without one is refused by the API server. */
export function imageNameFault(image: string): string | undefined {
  const fault = image === "" ? undefined : referenceFault(image)
  return fault && `Failed to apply default image tag ${JSON.stringify(image)}: couldn't parse image name ${JSON.stringify(image)}: ${fault}`
}

function referenceFault(image: string): string | undefined {
  if (/^[a-f0-9]{64}$/.test(image)) return `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`
  const { registry, rest } = partsOf(image)
  const [repository = ""] = rest.split(":")
  if (repository !== repository.toLowerCase()) return `invalid reference format: repository name (${repository}) must be lowercase`
  const path = pathOf(registry, rest)
  if (path === undefined) return "invalid reference format"
  return path.length > maxPath ? `repository name must not be more than ${maxPath} characters` : undefined
}

/** The path of "path:tag@digest"; undefined where one of them, or the registry, has not its form. */
function pathOf(registry: string, rest: string): string | undefined {
  const [named = "", digest, ...more] = rest.split("@")
  const [path = "", tag, ...others] = named.split(":")
  if (more.length > 0 || others.length > 0 || !domainForm.test(registry) || !pathForm.test(path)) return undefined
  if (tag !== undefined && (tag.length > maxTag || !tagForm.test(tag))) return undefined
  const [, hex] = digest === undefined ? [] : (digestForm.exec(digest) ?? ["", ""])
  return hex === undefined || hex.length >= minDigest ? path : undefined
}

/** "nginx" is library/nginx of docker.io. What stands before the first slash is a registry if no repository could be called so. */
function partsOf(image: string): { readonly registry: string; readonly rest: string } {
  const slash = image.indexOf("/")
  const first = image.slice(0, Math.max(slash, 0))
  const isRegistry = slash >= 0 && (/[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase())
  const registry = isRegistry && first !== "index.docker.io" ? first : "docker.io"
  const rest = isRegistry ? image.slice(slash + 1) : image
  return { registry, rest: registry === "docker.io" && !rest.includes("/") ? `library/${rest}` : rest }
}
