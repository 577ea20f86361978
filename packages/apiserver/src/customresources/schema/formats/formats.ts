import { isCreditCard, isIsbn10, isIsbn13, isRgbColor } from "./codes.ts"
import { isEmail } from "./email.ts"
import { isCidr, isHostname, isIpv4, isIpv6, isLongName, isMac, isShortName } from "./network.ts"
import { isDate, isDateTime, isDuration } from "./times.ts"
import { isRequestUri } from "./uri.ts"

/** Whether a text has a format. */
export type FormatCheck = (text: string) => boolean

/** The formats that texts of custom resources are checked for, by their names without dashes. Others mean nothing. */
const formats: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ["bsonobjectid", (text) => /^[0-9a-f]{24}$/i.test(text)],
  ["uri", isRequestUri],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["cidr", isCidr],
  ["mac", isMac],
  ["uuid", (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text)],
  ["uuid3", (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text)],
  ["uuid4", (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text)],
  ["uuid5", (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text)],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ["hexcolor", (text) => /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text)],
  ["rgbcolor", isRgbColor],
  ["byte", (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(text)],
  ["password", () => true],
  ["date", isDate],
  ["duration", isDuration],
  ["datetime", isDateTime],
  ["k8sshortname", isShortName],
  ["k8slongname", isLongName],
])

/** Whether texts are checked for a format. */
export function isKnownFormat(format: string): boolean {
  return formatCheck(format) !== undefined
}

/** The check of a format; undefined for one that means nothing. */
export function formatCheck(format: string): FormatCheck | undefined {
  return formats.get(format.replaceAll("-", ""))
}
