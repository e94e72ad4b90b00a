/** ClickHouse's binary format. */

const LOW_BITS = 4_294_967_296;

/** Writes values one after the other. */
export class Bytes {
  #buffer: Buffer;
  /** Views the same bytes: it takes half the time of the methods of the buffer. */
  #view: DataView;
  #at = 0;

  constructor(bytes = 1_024) {
    this.#buffer = Buffer.allocUnsafeSlow(Math.max(bytes, 64));
    this.#view = viewOf(this.#buffer);
  }

  int64(value: number): this {
    this.#reserve(8);
    const high = Math.floor(value / LOW_BITS);
    this.#view.setUint32(this.#at, value - high * LOW_BITS, true);
    this.#view.setInt32(this.#at + 4, high, true);
    this.#at += 8;
    return this;
  }

  int32(value: number): this {
    this.#reserve(4);
    this.#view.setInt32(this.#at, value, true);
    this.#at += 4;
    return this;
  }

  uint8(value: number): this {
    this.#reserve(1);
    this.#buffer[this.#at++] = value;
    return this;
  }

  text(value: string): this {
    const length = Buffer.byteLength(value);
    this.#reserve(length + 5);
    let rest = length;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#at = this.#buffer.writeUInt8((rest % 128) + 128, this.#at);
    this.#at = this.#buffer.writeUInt8(rest, this.#at);
    this.#at += this.#buffer.write(value, this.#at);
    return this;
  }

  textOrNull(value: string | null): this {
    return value === null ? this.uint8(1) : this.uint8(0).text(value);
  }

  get length(): number {
    return this.#at;
  }

  end(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#at + bytes));
    this.#buffer.copy(grown);
    this.#buffer = grown;
    this.#view = viewOf(grown);
  }
}

const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView => new DataView(buffer, byteOffset, length);
