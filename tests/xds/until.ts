/** Waits until it is so: what is right takes under 50 ms and what is wrong 15 s, so that 3 s distinguish them. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, limit = 3_000): Promise<void> {
  const end = performance.now() + limit
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`expected ${what} within ${limit} ms`)
    await pause(5)
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds))
}
