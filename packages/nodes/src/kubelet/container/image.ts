import type { Container, Pod } from "@pilothouse/api/core/v1"
import { annotation } from "../behaviour.ts"

/** Why the image cannot be pulled, as a container runtime would say it; undefined: it can. */
export function pullFault(pod: Pod, { name, image = "" }: Container): string | undefined {
  const told = annotation(pod, "pull-error", name) ?? String(isKnownBad(image))
  if (told === "false") return undefined
  return told === "true" ? notFound(image) : told
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
