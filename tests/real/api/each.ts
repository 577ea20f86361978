/** As many at once as the client has connections. */
const width = 8

export async function eachConcurrently<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values()
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of queue) await run(item)
    }),
  )
}
