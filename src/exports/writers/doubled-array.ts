/** Returns an array of twice the length that begins with the same numbers. */
export function doubled<Numbers extends Uint32Array | Float64Array>(
  numbers: Numbers,
  create: new (length: number) => Numbers,
): Numbers {
  const larger = new create(numbers.length * 2)
  larger.set(numbers)
  return larger
}
