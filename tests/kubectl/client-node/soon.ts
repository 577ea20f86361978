/** The promise, or an error with these words when it takes longer. */
export async function soon<T>(milliseconds: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} not within ${milliseconds / 1000} s`)), milliseconds)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
