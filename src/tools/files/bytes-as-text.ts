/** Tells bytes as text, as they come. A character that comes in two pieces is told whole. */
export function bytesAsText(tell: (text: string) => void = () => {}): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  return (chunk) => {
    const text = decoder.decode(chunk, { stream: true });
    if (text !== "") tell(text);
  };
}
