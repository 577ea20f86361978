import { isNotFound } from "@pilothouse/api"
import { events } from "@pilothouse/api/core/v1"
import { silentLog } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect } from "vitest"
import { type Code, codes, placeOf, Refusals } from "./refusals.ts"
import type { RefusedWrite } from "./refused-write.ts"

const fine = "fine"

/**
 * In five places at once: four where each try is refused with another code, and one where all goes well. That one must not notice; the others are
 * tried again, and not too often; users see an event; and when the server accepts them all is done.
 */
export async function refuseForEver(row: RefusedWrite): Promise<void> {
  const refusing = new Refusals(row)
  await using running = await cluster({ log: silentLog, ...row.cluster, layer: refusing.layer })
  const places = [fine, ...codes.map(placeOf)]
  for (const name of places) await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } })
  for (const place of places) for (const object of row.given(place)) await running.apply(object)
  if (row.change !== undefined) await running.advance("65s")
  refusing.isOn = true
  for (const place of places) await row.change?.(running, place)
  await row.changeOnce?.(running)
  await running.advance(row.within ?? "70s")
  expect(await row.done(running, fine), "the others are not held up").toBe(true)
  await running.advance(row.lasts ?? "20m")
  for (const code of codes) await isRefused(running, row, code, refusing.tries.get(code) ?? 0)
  refusing.isOn = false
  await endsWell(running, row)
}

async function endsWell(running: Cluster, row: RefusedWrite): Promise<void> {
  await running.advance(row.lasts ?? "20m")
  if (row.touch !== undefined) {
    expect(await unfinished(running, row), "all are given up").toEqual(codes.map(placeOf))
    for (const code of codes) await row.touch(running, placeOf(code))
    await running.advance("1m")
  }
  expect(await unfinished(running, row)).toEqual([])
}

async function isRefused(running: Cluster, row: RefusedWrite, code: Code, tries: number): Promise<void> {
  const place = placeOf(code)
  expect(await row.done(running, place), `${place} is refused`).toBe(false)
  expect({ place, tries, isTriedAgain: tries > 1 }).toEqual({ place, tries, isTriedAgain: true })
  expect(tries, `tries in ${place}`).toBeLessThanOrEqual(row.maxTries ?? 40)
  const isQuiet = code === 409 && row.isQuietOfConflicts
  if (row.eventReason !== undefined && !isQuiet) expect(await reasonsIn(running, place), place).toContain(row.eventReason)
  await row.meanwhile?.(running, place)
}

async function unfinished(running: Cluster, row: RefusedWrite): Promise<readonly string[]> {
  const left: string[] = []
  for (const place of codes.map(placeOf)) if (!(await row.done(running, place))) left.push(place)
  return left
}

async function reasonsIn(running: Cluster, place: string): Promise<readonly string[]> {
  const all = await running.list(events)
  const about = all.filter(({ involvedObject: { namespace, name } }) => namespace === place || name?.includes(place))
  return [...new Set(about.map(({ reason }) => reason ?? ""))]
}

/** Whether there is none, or none any more. */
export async function isGone(asked: Promise<unknown>): Promise<boolean> {
  return asked.then(
    () => false,
    (error: unknown) => isNotFound(error) || Promise.reject(error),
  )
}
